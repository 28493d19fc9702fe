package export

import "errors"

// newParquet fails: what writes Parquet would be a fifth of the page, whose window does not offer it.
func newParquet(string, []string) (sink, error) {
	return nil, errors.New("this build of Strata does not write Parquet; the native program does")
}
