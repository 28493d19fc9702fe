package hub

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

func TestFromEnvironment(t *testing.T) {
	home := t.TempDir()
	write(t, filepath.Join(home, ".cache", "huggingface", "token"), secret+"\n")
	write(t, filepath.Join(home, "hf", "token"), "hf_other")
	write(t, filepath.Join(home, "elsewhere"), "  hf_third  ")
	write(t, filepath.Join(home, "broken"), "two words")
	std := filepath.Join(home, ".cache", "huggingface", "hub")
	for name, c := range map[string]struct {
		env  map[string]string
		want Settings
	}{
		"nothing set": {nil, Settings{Endpoint: defaultEndpoint, Token: secret, HubCache: std}},
		"endpoint": {map[string]string{"HF_ENDPOINT": "https://mirror.example/hf/"},
			Settings{Endpoint: "https://mirror.example/hf", Token: secret, HubCache: std}},
		"home": {map[string]string{"HF_HOME": filepath.Join(home, "hf")}, Settings{Endpoint: defaultEndpoint,
			Token: "hf_other", HubCache: filepath.Join(home, "hf", "hub")}},
		"home with ~": {map[string]string{"HF_HOME": "~/hf"}, Settings{Endpoint: defaultEndpoint, Token: "hf_other",
			HubCache: filepath.Join(home, "hf", "hub")}},
		"XDG": {map[string]string{"XDG_CACHE_HOME": filepath.Join(home, "x")},
			Settings{Endpoint: defaultEndpoint, HubCache: filepath.Join(home, "x", "huggingface", "hub")}},
		"hub cache": {map[string]string{"HF_HUB_CACHE": "/data/hub"}, Settings{Endpoint: defaultEndpoint,
			Token: secret, HubCache: "/data/hub"}},
		"old cache": {map[string]string{"HUGGINGFACE_HUB_CACHE": "/old/hub"}, Settings{Endpoint: defaultEndpoint,
			Token: secret, HubCache: "/old/hub"}},
		"token": {map[string]string{"HF_TOKEN": " hf_env ", "HF_TOKEN_PATH": filepath.Join(home, "elsewhere")},
			Settings{Endpoint: defaultEndpoint, Token: "hf_env", HubCache: std}},
		"old token": {map[string]string{"HUGGING_FACE_HUB_TOKEN": "hf_old"}, Settings{Endpoint: defaultEndpoint,
			Token: "hf_old", HubCache: std}},
		"token path": {map[string]string{"HF_TOKEN_PATH": filepath.Join(home, "elsewhere")},
			Settings{Endpoint: defaultEndpoint, Token: "hf_third", HubCache: std}},
		"broken token": {map[string]string{"HF_TOKEN_PATH": filepath.Join(home, "broken")},
			Settings{Endpoint: defaultEndpoint, HubCache: std}},
		"no such token": {map[string]string{"HF_TOKEN_PATH": filepath.Join(home, "nothing")},
			Settings{Endpoint: defaultEndpoint, HubCache: std}},
		"not implicit": {map[string]string{"HF_HUB_DISABLE_IMPLICIT_TOKEN": "1"}, Settings{Endpoint: defaultEndpoint,
			HubCache: std}},
		"offline": {map[string]string{"HF_HUB_OFFLINE": "true"}, Settings{Endpoint: defaultEndpoint, Token: secret,
			HubCache: std, Offline: true}},
		"old offline": {map[string]string{"TRANSFORMERS_OFFLINE": "1"}, Settings{Endpoint: defaultEndpoint,
			Token: secret, HubCache: std, Offline: true}},
		"online": {map[string]string{"HF_HUB_OFFLINE": "0"}, Settings{Endpoint: defaultEndpoint, Token: secret,
			HubCache: std}},
	} {
		c.want.Cache = "own"
		got, err := fromEnvironment(func(n string) string { return c.env[n] }, home, "own")
		if err != nil || got != c.want {
			t.Errorf("%s:\ngot  %+v, %v\nwant %+v", name, got, err, c.want)
		}
	}
	for _, bad := range []string{"mirror.example", "ftp://x", "https://", "https://user:" + secret + "@host",
		"https://host/?token=" + secret, "https://host/#x", "http://[::1"} {
		_, err := fromEnvironment(func(n string) string { return map[string]string{"HF_ENDPOINT": bad}[n] }, home, "")
		if err == nil || !strings.Contains(err.Error(), "HF_ENDPOINT") || strings.Contains(err.Error(), secret) {
			t.Errorf("%s: %v", bad, err)
		}
	}
	if s, err := fromEnvironment(func(string) string { return "" }, "", ""); err != nil || s.HubCache != "" ||
		s.Token != "" {
		t.Errorf("no home: %+v, %v", s, err)
	}
}

func TestSecret(t *testing.T) {
	s := Settings{Token: secret}
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, shown := range []string{fmt.Sprintf("%v %+v %#v", s, s, s), string(text),
		fmt.Sprint(s.Token, New(s).settings)} {
		if strings.Contains(shown, secret) {
			t.Errorf("shown: %s", shown)
		}
	}
}
