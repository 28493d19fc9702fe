# shellcheck shell=bash
# Sourced by the scripts here: puts a Go that can build Strata first on PATH, if there is one, and says where the cache is.
# Any Go from 1.21 on will do, because it fetches the version that go.mod asks for by itself.

export HOME="${HOME:-/root}"
cache="${XDG_CACHE_HOME:-$HOME/.cache}/strata"
export GOTOOLCHAIN="${GOTOOLCHAIN:-auto}"      # some distributions switch the fetching off

# go_ok GO: succeeds if GO is a Go of at least 1.21.
go_ok() {
	local version minor
	version=$("$1" env GOVERSION 2>/dev/null) || return 1
	minor=${version#go1.}
	minor=${minor%%[!0-9]*}
	[ "${version#go1.}" != "$version" ] && [ "${minor:-0}" -ge 21 ]
}

if ! go_ok go; then
	for dir in "$cache/go/bin" /usr/local/go/bin "$HOME"/sdk/go1*/bin /usr/lib/go-1.*/bin /opt/homebrew/bin; do
		if [ -x "$dir/go" ] && go_ok "$dir/go"; then
			export PATH="$dir:$PATH"
			break
		fi
	done
fi

# Go writes the commit into the program, and fails where git refuses to look at the clone (another user's, say).
if ! git rev-parse HEAD >/dev/null 2>&1; then
	export GOFLAGS="${GOFLAGS:-} -buildvcs=false"
fi
