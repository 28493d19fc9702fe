package appearance

import "golang.org/x/sys/windows/registry"

const personalize = `Software\Microsoft\Windows\CurrentVersion\Themes\Personalize`

// current is the choice for applications; Windows before 10 has none.
func current() Appearance {
	k, err := registry.OpenKey(registry.CURRENT_USER, personalize, registry.QUERY_VALUE)
	if err != nil {
		return Unsaid
	}
	defer k.Close()
	switch light, _, err := k.GetIntegerValue("AppsUseLightTheme"); {
	case err != nil:
		return Unsaid
	case light == 0:
		return Dark
	}
	return Light
}
