package install

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// The macOS bundle is put together here too, though it cannot run here.
func TestBundle(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: needs a shell")
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("SKIPPED: python3, which reads property lists, is not installed")
	}
	dir := t.TempDir()
	program, icons := filepath.Join(dir, "program"), filepath.Join(dir, "icons")
	for _, f := range []string{program, icons} {
		if err := os.WriteFile(f, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	app := filepath.Join(dir, "My Strata.app")
	cmd := exec.Command("./bundle", program, icons, "1.2.3", "45", app)
	cmd.Env = append(os.Environ(), "PATH=/usr/bin:/bin")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	out, err := exec.Command(python, "-c",
		"import json, plistlib, sys; json.dump(plistlib.load(open(sys.argv[1], 'rb')), sys.stdout)",
		filepath.Join(app, "Contents", "Info.plist")).CombinedOutput()
	if err != nil {
		t.Fatalf("plistlib: %v: %s", err, out)
	}
	var info struct {
		CFBundleExecutable, CFBundleIconFile, CFBundleShortVersionString, CFBundleVersion string
		CFBundleDocumentTypes                                                             []struct {
			LSHandlerRank      string
			LSItemContentTypes []string
		}
		UTImportedTypeDeclarations []struct {
			UTTypeIdentifier string
		}
	}
	if err := json.Unmarshal(out, &info); err != nil {
		t.Fatal(err)
	}
	if info.CFBundleShortVersionString != "1.2.3" || info.CFBundleVersion != "1.2.3.45" {
		t.Errorf("the versions are %s and %s", info.CFBundleShortVersionString, info.CFBundleVersion)
	}
	for _, name := range []string{"MacOS/" + info.CFBundleExecutable, "Resources/" + info.CFBundleIconFile} {
		if _, err := os.Stat(filepath.Join(app, "Contents", name)); err != nil {
			t.Error(err)
		}
	}
	if s, err := os.Stat(filepath.Join(app, "Contents/MacOS/strata")); err != nil || s.Mode()&0o111 == 0 {
		t.Errorf("the program cannot be run: %v, %v", s, err)
	}
	// The type that is declared is the one that is opened, and nothing is seized.
	if info.CFBundleDocumentTypes[0].LSItemContentTypes[0] != info.UTImportedTypeDeclarations[0].UTTypeIdentifier {
		t.Error("the declared type is not the one that is opened")
	}
	for _, d := range info.CFBundleDocumentTypes {
		if d.LSHandlerRank != "Alternate" && d.LSHandlerRank != "None" {
			t.Errorf("rank %s would make Strata the default for %q", d.LSHandlerRank, d.LSItemContentTypes)
		}
	}
}
