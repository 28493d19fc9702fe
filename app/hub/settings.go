package hub

import (
	"cmp"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// defaultEndpoint is the hub that is meant where HF_ENDPOINT names no other.
const defaultEndpoint = "https://huggingface.co"

// A Secret is text that no message, log or file shows by accident.
type Secret string

// String hides it.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return "(secret)"
}

// GoString hides it.
func (s Secret) GoString() string { return `"` + s.String() + `"` }

// MarshalText hides it.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Settings say which hub is asked, with what, and where files are kept.
type Settings struct {
	Endpoint string // address of the hub, without a slash at the end
	Token    Secret // goes to Endpoint only, over TLS (see mayHaveToken)
	HubCache string // the hub libraries' own cache; read, never written; may be ""
	Cache    string // where Strata keeps what it fetched; "" keeps nothing
	Offline  bool   // no network at all
}

// FromEnvironment reads the settings that the hub's own libraries read: HF_ENDPOINT, HF_HOME, HF_HUB_CACHE,
// HF_TOKEN, HF_TOKEN_PATH, the token file, HF_HUB_OFFLINE, HF_HUB_DISABLE_IMPLICIT_TOKEN, and the older names of
// some. (Names and defaults: the page "Environment variables" of huggingface_hub's documentation.) The error is a
// sentence about a setting that cannot be used.
func FromEnvironment() (Settings, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = ""
	} else {
		cache = filepath.Join(cache, "strata", "models")
	}
	home, _ := os.UserHomeDir()
	return fromEnvironment(os.Getenv, home, cache)
}

func fromEnvironment(getenv func(string) string, home, cache string) (Settings, error) {
	first := func(names ...string) string {
		for _, n := range names {
			if v := strings.TrimSpace(getenv(n)); v != "" {
				return v
			}
		}
		return ""
	}
	s := Settings{Endpoint: strings.TrimRight(first("HF_ENDPOINT"), "/"), Cache: cache,
		Offline: truth(first("HF_HUB_OFFLINE")) || truth(first("TRANSFORMERS_OFFLINE"))}
	if s.Endpoint == "" {
		s.Endpoint = defaultEndpoint
	}
	if err := checkEndpoint(s.Endpoint); err != nil {
		return Settings{}, err
	}
	hfHome := expand(first("HF_HOME"), home)
	if hfHome == "" {
		base := first("XDG_CACHE_HOME")
		if base == "" && home != "" {
			base = filepath.Join(home, ".cache")
		}
		if base != "" {
			hfHome = filepath.Join(expand(base, home), "huggingface")
		}
	}
	if s.HubCache = expand(first("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"), home); s.HubCache == "" && hfHome != "" {
		s.HubCache = filepath.Join(hfHome, "hub")
	}
	if truth(first("HF_HUB_DISABLE_IMPLICIT_TOKEN")) {
		return s, nil
	}
	token := first("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN")
	if token == "" {
		file := expand(first("HF_TOKEN_PATH"), home)
		if file == "" && hfHome != "" {
			file = filepath.Join(hfHome, "token")
		}
		data, _ := readSmall(file, 4096) // a model that is open to all needs none
		token = strings.TrimSpace(string(data))
	}
	if !strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r >= 0x7f }) { // it can stand in a header
		s.Token = Secret(token)
	}
	return s, nil
}

// truth is what the hub's libraries take for yes.
func truth(v string) bool {
	return slices.Contains([]string{"1", "ON", "YES", "TRUE"}, strings.ToUpper(v))
}

func expand(path, home string) string {
	if rest, ok := strings.CutPrefix(path, "~"); ok && home != "" && (rest == "" || os.IsPathSeparator(rest[0])) {
		return filepath.Join(home, rest)
	}
	return path
}

// checkEndpoint wants the address of a server and nothing that would end up in messages or addresses by accident.
func checkEndpoint(endpoint string) error {
	u, err := url.Parse(endpoint)
	switch {
	case err != nil, u.Host == "", u.Scheme != "https" && u.Scheme != "http":
		return errors.New("HF_ENDPOINT is no address such as https://host; mend it or unset it")
	case u.User != nil:
		return errors.New("HF_ENDPOINT holds a name or password; give a token in HF_TOKEN instead")
	case u.RawQuery != "" || u.Fragment != "":
		return errors.New("HF_ENDPOINT has more than an address in it; mend it or unset it")
	}
	return nil
}

// endpoint is the address of the hub.
func (s *Settings) endpoint() *url.URL {
	u, err := url.Parse(s.Endpoint)
	if err != nil { // FromEnvironment gives no such
		return &url.URL{}
	}
	return u
}

// mayHaveToken reports whether a request to an address may carry the token: only to the host and port of the endpoint,
// and over TLS, even on this very machine.
func (s *Settings) mayHaveToken(u *url.URL) bool {
	hub := s.endpoint()
	return s.Token != "" && u.Scheme == "https" && hub.Scheme == "https" &&
		strings.EqualFold(u.Hostname(), hub.Hostname()) && cmp.Or(u.Port(), "443") == cmp.Or(hub.Port(), "443")
}
