// Package platformtest starts the programs that tests of the desktop need: a screen, a session bus.
package platformtest

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// Need skips the test, and says so, where a program is missing.
func Need(t *testing.T, programs ...string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("SKIPPED: needs Linux")
	}
	if testing.Short() {
		t.Skip("SKIPPED: -short")
	}
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			t.Skipf("SKIPPED: %s is not installed", p)
		}
	}
}

// Start starts a program that ends with the test.
func Start(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
}

// Bus starts a session bus for one test.
func Bus(t *testing.T) {
	t.Helper()
	Need(t, "dbus-daemon")
	dir := t.TempDir()
	config := filepath.Join(dir, "bus.conf") // one that starts no services
	err := os.WriteFile(config, []byte(`<busconfig><type>session</type><listen>unix:dir=`+dir+`</listen>
<policy context="default"><allow send_destination="*"/><allow eavesdrop="true"/><allow own="*"/></policy>
</busconfig>`), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("dbus-daemon", "--config-file="+config, "--nofork", "--print-address")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	Start(t, cmd)
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", strings.TrimSpace(address))
}
