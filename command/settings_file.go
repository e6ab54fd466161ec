package command

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/BurntSushi/toml"

	"piyasa/command/cli"
)

// Every setting has one name: its variable PIYASA_MAX_LAG is max_lag in the file.
const variablePrefix = "PIYASA_"

func settingOf(variable string) string {
	return strings.ToLower(strings.TrimPrefix(variable, variablePrefix))
}

// configVariable names the file; the file cannot name another one.
const configVariable = "PIYASA_CONFIG"

// settingsFile is the content of the file of settings; zero without a file.
type settingsFile struct {
	path   string
	values map[string]string // by name
	wrong  error             // mistakes in it, or in the names of variables
}

// maxSettings is larger than any file of settings, in bytes.
const maxSettings = 1 << 20

// readSettings reads the file at path, or the first of the usual files that exists.
func readSettings(path string, known []string) (settingsFile, error) {
	if path == "" {
		for _, usual := range usualSettings() {
			_, err := os.Stat(usual)
			elsewhere := err != nil && usual != machineSettings // a home folder that another user left in the environment
			if !elsewhere && !errors.Is(err, fs.ErrNotExist) {
				path = usual
				break
			}
		}
	}
	file := settingsFile{path: path}
	if path == "" {
		return file, nil
	}
	text, err := readRegular(path, maxSettings)
	if errors.Is(err, fs.ErrPermission) && path == machineSettings {
		err = fmt.Errorf("%w; run piyasa as the user of the service (sudo -u piyasa piyasa …), or give --config a file of your own", err)
	}
	if err != nil {
		return file, fmt.Errorf("the file of settings: %w", err)
	}
	if file.values, err = parseSettings(string(text), known); err != nil {
		return file, fmt.Errorf("%s: %w", path, err)
	}
	return file, nil
}

// usualSettings are the files used without --config: the user's own, then the machine's.
func usualSettings() []string {
	var places []string
	if folder, err := os.UserConfigDir(); err == nil {
		places = append(places, filepath.Join(folder, "piyasa", "piyasa.toml"))
	}
	return append(places, machineSettings)
}

// machineSettings is the settings file of the machine.
const machineSettings = "/etc/piyasa/piyasa.toml"

// secretVariables may be in files, as secrets of containers are: NAME_FILE names the file.
var secretVariables = []string{"PIYASA_DATABASE", "PIYASA_DATABASE_WRITE"}

// fileSuffix ends the name of the variable with the file of a secret.
const fileSuffix = "_FILE"

// readSecrets reads the secrets in files that variables name. They override the file of
// settings.
func (f *settingsFile) readSecrets() error {
	var wrong []error
	for _, variable := range secretVariables {
		path, given := os.LookupEnv(variable + fileSuffix)
		if !given {
			continue
		}
		if _, both := os.LookupEnv(variable); both {
			wrong = append(wrong, fmt.Errorf("%s and %s%s exclude each other", variable, variable, fileSuffix))
			continue
		}
		text, err := readRegular(path, maxSettings)
		secret := strings.TrimSpace(string(text))
		if err == nil && secret == "" {
			err = fmt.Errorf("%s is empty", path)
		}
		if err != nil {
			wrong = append(wrong, fmt.Errorf("%s%s: %w", variable, fileSuffix, err))
			continue
		}
		if f.values == nil {
			f.values = map[string]string{}
		}
		f.values[settingOf(variable)] = secret
	}
	return errors.Join(wrong...)
}

// readRegular reads a file of at most size bytes. Opening never blocks, as a pipe without a
// writer would.
func readRegular(path string, size int64) ([]byte, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file", path)
	}
	text, err := io.ReadAll(io.LimitReader(file, size+1))
	if err == nil && int64(len(text)) > size {
		err = fmt.Errorf("%s is larger than %d bytes", path, size)
	}
	return text, err
}

// parseSettings reads TOML without tables. All mistakes are reported at once.
func parseSettings(text string, known []string) (map[string]string, error) {
	var given map[string]any
	if _, err := toml.Decode(text, &given); err != nil {
		if wrong, ok := errors.AsType[toml.ParseError](err); ok {
			return nil, fmt.Errorf("line %d is not TOML: %s", wrong.Position.Line, wrong.Message)
		}
		return nil, err
	}
	values := map[string]string{}
	var wrong []error
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !slices.Contains(known, name) {
			wrong = append(wrong, fmt.Errorf("%q is no setting%s", name, cli.DidYouMean(name, known)))
			continue
		}
		var err error
		if values[name], err = settingText(given[name]); err != nil {
			wrong = append(wrong, fmt.Errorf("%s: %w", name, err))
		}
	}
	return values, errors.Join(wrong...)
}

// settingText returns a TOML value as the text of a variable.
func settingText(value any) (string, error) {
	switch v := value.(type) {
	case string:
		return v, nil
	case int64:
		return strconv.FormatInt(v, 10), nil
	case bool:
		return strconv.FormatBool(v), nil
	case []any:
		words := make([]string, len(v))
		for i, one := range v {
			word, ok := one.(string)
			if !ok || strings.Contains(word, ",") {
				return "", errors.New(`a list must have texts without commas, such as ["one", "two"]`)
			}
			words[i] = word
		}
		return strings.Join(words, ","), nil
	}
	return "", errors.New(`must be a text in quotes, a whole number, true, false, or a list of texts`)
}

// settingNames returns the names that are allowed in the file.
func settingNames(variables []string) []string {
	var names []string
	for _, variable := range variables {
		if variable != configVariable {
			names = append(names, settingOf(variable))
		}
	}
	return names
}

// others matches variables with our prefix that are not ours: those of the client examples and
// of piyasa's tests, and those that Kubernetes sets in every container for a service named
// piyasa.
var others = regexp.MustCompile(`^PIYASA_(KEY|URL|REAL_DATA|SETTINGS|TEST_(POSTGRES|INGEST|CHILD)|TORTURE_\w+|BENCH_\w+|(\w+_)?SERVICE_(HOST|PORT(_\w+)?)|(\w+_)?PORT(_\d+_(TCP|UDP|SCTP)(_\w+)?)?)$`)

// unknownVariables returns an error for each unknown variable with our prefix.
func unknownVariables(environment, known []string) error {
	var wrong []error
	for _, one := range environment {
		name, _, _ := strings.Cut(one, "=")
		if strings.HasPrefix(name, variablePrefix) && !slices.Contains(known, name) && !others.MatchString(name) &&
			!slices.Contains(secretVariables, strings.TrimSuffix(name, fileSuffix)) {
			wrong = append(wrong, fmt.Errorf("the environment variable %s is no setting%s", name, cli.DidYouMean(name, known)))
		}
	}
	return errors.Join(wrong...)
}

// configOf returns the file named on the command line or in the environment; empty: none.
func configOf(args []string) string {
	return cmp.Or(flagIn(args, "--config"), os.Getenv(configVariable))
}

// flagIn returns the value of a flag in args, or "".
func flagIn(args []string, flag string) string {
	for i, arg := range args {
		if arg == "--" {
			break
		}
		if value, ok := strings.CutPrefix(arg, flag+"="); ok {
			return value
		}
		if arg == flag && i+1 < len(args) {
			return args[i+1]
		}
	}
	return ""
}
