//go:build !windows && (!unix || aix)

package cache

import "os"

// identityOf returns what is known of a file, which is not enough to be sure.
func identityOf(f *os.File) (identity, error) {
	st, err := f.Stat()
	if err != nil {
		return identity{}, err
	}
	return identity{size: st.Size(), modified: st.ModTime().UnixNano()}, nil
}
