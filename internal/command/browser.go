package command

import (
	"os"
	"os/exec"
	"runtime"
)

// openBrowser opens a page where there is a browser; where there is none nothing happens,
// since the address is printed as well.
func openBrowser(page string) {
	var cmd *exec.Cmd
	switch runtime.GOOS {
	case "darwin":
		cmd = exec.Command("open", page)
	case "windows":
		cmd = exec.Command("rundll32", "url.dll,FileProtocolHandler", page)
	default:
		if os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" && os.Getenv("BROWSER") == "" {
			return
		}
		cmd = exec.Command("xdg-open", page)
	}
	if cmd.Start() == nil {
		go cmd.Wait() //nolint:errcheck // it says itself what is wrong
	}
}
