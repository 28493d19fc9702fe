//go:build !js

package hub

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"
)

// network is what asks hubs.
type network = *http.Client

// A remote is a model's files at the hub.
type remote struct {
	client *Client
	id     ID
}

// maxRedirects is more than hubs need: a renamed model, then a storage host.
const maxRedirects = 5

// newHTTP makes the client of a hub. The token is put on each request by its own address, after redirects, so that
// it cannot follow one elsewhere: Go's own rule would let it go to subdomains and other ports.
func newHTTP(s Settings) *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.ResponseHeaderTimeout = 15 * time.Second
	transport.MaxResponseHeaderBytes = 64 << 10
	return &http.Client{
		Transport: &authorizing{settings: s, next: transport},
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			switch {
			case len(via) > maxRedirects:
				return errRedirects
			case req.URL.Scheme != "https" && via[0].URL.Scheme == "https":
				return errDowngrade
			}
			return nil
		},
	}
}

var (
	errRedirects = errors.New("it redirects in circles")
	errDowngrade = errors.New("it redirects to an address without encryption")
)

// authorizing adds the token to the requests that may have it.
type authorizing struct {
	settings Settings
	next     http.RoundTripper
}

func (a *authorizing) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	req.Header.Del("Authorization")
	req.Header.Del("Referer")
	if a.settings.mayHaveToken(req.URL) {
		req.Header.Set("Authorization", "Bearer "+string(a.settings.Token))
	}
	return a.next.RoundTrip(req)
}

// read fetches a file.
func (r *remote) read(ctx context.Context, name string, limit int64) ([]byte, error) {
	timeout := r.client.config
	if limit > maxConfig {
		timeout = r.client.large
	}
	timed, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	// ID and names hold nothing that an address would escape, but for the slashes of a revision, which the hub
	// wants escaped.
	address := r.client.settings.Endpoint + "/" + r.id.Repo + "/resolve/" + url.PathEscape(r.id.Revision) + "/" + name
	req, err := http.NewRequestWithContext(timed, http.MethodGet, address, nil)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be asked for: %v", clip(r.id.String()), err)
	}
	req.Header.Set("User-Agent", "strata")
	resp, err := r.client.http.Do(req)
	if err != nil {
		return nil, r.failed(ctx, err, timeout)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, r.refused(resp, name)
	}
	if resp.ContentLength > limit {
		return nil, r.tooLarge(name, limit)
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, limit+1))
	switch {
	case err != nil:
		return nil, r.failed(ctx, err, timeout)
	case int64(len(data)) > limit:
		return nil, r.tooLarge(name, limit)
	}
	return data, nil
}

func (r *remote) tooLarge(name string, limit int64) error {
	return fmt.Errorf("the %s of %s at %s is larger than %d MiB, which no such file is", name, r.id,
		r.host(), limit>>20)
}

// host is the hub's host for sentences.
func (r *remote) host() string { return clip(r.client.settings.endpoint().Host) }

// refused makes a sentence of an answer without the file. The hub says more than its status in X-Error-Code: to
// those it does not know, a model that is not there and one they may not see are both 401.
func (r *remote) refused(resp *http.Response, name string) error {
	id, host := r.id.String(), r.host()
	code := resp.Header.Get("X-Error-Code")
	switch status := resp.StatusCode; {
	case code == "EntryNotFound" || status == http.StatusNotFound && code == "" && name != "config.json":
		return errAbsent
	case code == "RevisionNotFound":
		return fmt.Errorf("the model %s at %s has no revision %s", r.id.Repo, host, r.id.Revision)
	case code == "GatedRepo" || (status == http.StatusUnauthorized || status == http.StatusForbidden) &&
		code != "RepoNotFound":
		return fmt.Errorf("the model %s is gated at %s (%d): accept its terms there, then %s; or give its config.json",
			id, host, status, r.tokenAdvice())
	case code == "RepoNotFound" && status == http.StatusUnauthorized:
		return fmt.Errorf("the hub %s has no model %s, or it is private (401): check the name, or %s", host, id,
			r.tokenAdvice())
	case status == http.StatusNotFound:
		return fmt.Errorf("the hub %s has no model %s (404); check the name", host, id)
	case status == http.StatusTooManyRequests:
		return fmt.Errorf("the hub %s has had too many requests from here (429); try again later", host)
	case status >= 500:
		return fmt.Errorf("the hub %s has a fault of its own (%d); try again later", host, status)
	default:
		return fmt.Errorf("the hub %s answered %d in place of the %s of %s", host, status, name, id)
	}
}

// tokenAdvice says what to do about the token, knowing whether one was sent.
func (r *remote) tokenAdvice() string {
	s := &r.client.settings
	switch {
	case s.Token == "":
		return "log in with the hub's own tool or set HF_TOKEN"
	case !s.mayHaveToken(s.endpoint()):
		return "use an https address in HF_ENDPOINT, as the token is not sent without encryption"
	}
	return "use a token that may read it (the one in HF_TOKEN or the token file was refused)"
}

// failed makes a sentence of a request without an answer.
func (r *remote) failed(ctx context.Context, err error, timeout time.Duration) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var timedOut net.Error
	var certificate *tls.CertificateVerificationError
	var wrapped *url.Error
	what := "does not answer: "
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timedOut) && timedOut.Timeout():
		what = fmt.Sprintf("did not give the files of %s within %s; try again", r.id, timeout)
	case errors.Is(err, errRedirects), errors.Is(err, errDowngrade):
		return fmt.Errorf("the hub %s cannot be used: %s", r.host(), errors.Unwrap(err))
	case errors.As(err, &certificate):
		what = "has no certificate that this machine trusts"
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		what = "broke off in the middle of its answer; try again"
	case errors.As(err, &wrapped): // without the address
		what = "cannot be reached (" + clip(wrapped.Err.Error()) + "): is the network there, and HF_ENDPOINT right?"
	default:
		what += clip(err.Error())
	}
	return fmt.Errorf("the hub %s %s; a folder or a config.json works without network", r.host(), what)
}
