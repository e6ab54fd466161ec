package command

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// serviceUnit is the systemd unit that the packages install.
const serviceUnit = "piyasa.service"

// otherInService describes each setting whose value differs between the service of this machine
// and this process. Without systemd or the unit it returns nothing.
func otherInService(mine []inForce) (others []string) {
	theirs, err := settingsOfService()
	if err != nil {
		return []string{fmt.Sprintf("the environment of %s cannot be compared: %v", serviceUnit, err)}
	}
	for _, they := range theirs {
		i := slices.IndexFunc(mine, func(one inForce) bool { return one.Variable == they.Variable })
		if i < 0 || !strings.HasPrefix(they.Variable, variablePrefix) {
			continue
		}
		own := mine[i]
		if own.Variable == "PIYASA_DATABASE" && own.Value == "" {
			own.Value, _ = database{}.url()
		}
		if own.Value != they.Value {
			others = append(others, fmt.Sprintf("%s has %s = %q (%s), and here it is %q (%s)",
				serviceUnit, they.Name, they.Value, they.From, own.Value, own.From))
		}
	}
	return others
}

var (
	unitWord = regexp.MustCompile(`"((?:[^"\\]|\\.)*)"|(\S+)`)
	unitArgs = regexp.MustCompile(`argv\[\]=\S+ (.*?) ; `)
)

// settingsOfService returns the settings in force for the service, or nil if there is none.
func settingsOfService() ([]inForce, error) {
	shown, err := exec.Command("systemctl", "show", serviceUnit,
		"--property=LoadState,User,Environment,EnvironmentFiles,ExecStart").Output()
	if err != nil || !strings.Contains(string(shown), "LoadState=loaded") {
		return nil, nil // no systemd, or no unit
	}
	given := map[string]string{}
	var words []string
	for line := range strings.Lines(string(shown)) {
		name, text, _ := strings.Cut(strings.TrimSpace(line), "=")
		switch name {
		case "User":
			if who, err := user.Lookup(cmp.Or(text, "root")); err == nil {
				given["HOME"] = who.HomeDir
			}
		case "Environment":
			for _, word := range unitWord.FindAllStringSubmatch(text, -1) {
				variable, value, _ := strings.Cut(cmp.Or(word[1], word[2]), "=")
				given[variable] = value
			}
		case "EnvironmentFiles":
			path, _, _ := strings.Cut(text, " (")
			content, err := os.ReadFile(path)
			if err != nil && !os.IsNotExist(err) {
				return nil, err
			}
			for line := range strings.Lines(string(content)) {
				variable, value, is := strings.Cut(strings.TrimSpace(line), "=")
				if is && !strings.HasPrefix(variable, "#") {
					given[variable] = strings.Trim(value, `"'`)
				}
			}
		case "ExecStart":
			if args := unitArgs.FindStringSubmatch(text); args != nil {
				words = strings.Fields(args[1])
			}
		}
	}
	_, called, err := read("", words, io.Discard)
	if called.program.Selected == nil {
		return nil, err
	}
	path := cmp.Or(flagIn(words, "--config"), given[configVariable])
	if _, err := os.Stat(machineSettings); path == "" && err == nil {
		path = machineSettings
	}
	file := settingsFile{}
	if path != "" {
		if file, err = readSettings(path, settingNames(called.program.Variables())); err != nil {
			return nil, err
		}
	}
	all := settingsInForce(called.program, file, func(variable string) (string, bool) {
		text, is := given[variable]
		return text, is
	})
	for i, one := range all {
		if one.Variable == "PIYASA_DATABASE" && one.Value == "" {
			all[i].Value = "sqlite:" + filepath.Join(dataFolderOf(given["XDG_DATA_HOME"], given["HOME"]), "piyasa.db")
		}
	}
	return slices.DeleteFunc(all, func(one inForce) bool { return one.Variable == configVariable }), nil
}
