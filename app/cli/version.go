package cli

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
)

// release is the version of a released build, set by
// -ldflags "-X strata/app/cli.release=v1.2.3".
var release string

// version prints one line: version, commit, how it was built.
func version(w io.Writer) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	fmt.Fprintln(w, versionLine(release, info))
}

// versionLine says which Strata a build is.
func versionLine(release string, info *debug.BuildInfo) string {
	setting := map[string]string{}
	for _, s := range info.Settings {
		setting[s.Key] = s.Value
	}
	name := release
	if name == "" {
		name = info.Main.Version
	}
	if name == "" || name == "(devel)" {
		name = "development build"
	}
	line := "strata " + name
	if commit := setting["vcs.revision"]; commit != "" {
		line += ", commit " + commit[:min(12, len(commit))]
		if setting["vcs.modified"] == "true" {
			line += " with changes"
		}
		if t := setting["vcs.time"]; t != "" {
			line += " of " + t
		}
	}
	return line + fmt.Sprintf(" (%s, %s/%s)", runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
