package command

import (
	"context"
	"log/slog"
	"os"
	"os/signal"
	"reflect"
	"strings"
	"syscall"

	"github.com/coreos/go-systemd/v22/daemon"
)

// reloading is the settings of a server that may change while it runs. read reads all settings
// again, in the order of their precedence.
type reloading struct {
	read func() (serving, logging, error)
	last serving
	set  []func(settings) // apply each change
}

// hangups returns the channel of SIGHUPs from now on, which no longer end the process.
func hangups() (signals chan os.Signal, stop func()) {
	signals = make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGHUP)
	return signals, func() { signal.Stop(signals) }
}

// run reads the settings again at every signal, until ctx ends. Mistakes change nothing.
func (r *reloading) run(ctx context.Context, signals <-chan os.Signal) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-signals:
			r.reload()
		}
	}
}

func (r *reloading) reload() {
	tell(daemon.SdNotifyReloading, daemon.SdNotifyMonotonicUsec())
	defer tell(daemon.SdNotifyReady)
	now, logs, err := r.read()
	var checked settings
	if err == nil {
		checked, err = now.check()
	}
	if err == nil {
		err = logs.follow()
	}
	if err != nil {
		slog.Error("the settings cannot be used; those before stay", "error", err)
		return
	}
	for _, set := range r.set {
		set(checked)
	}
	if waits := needRestart(r.last, now); len(waits) > 0 {
		slog.Warn("some settings have changed and need a restart", "settings", strings.Join(waits, " "))
	}
	slog.Info("the settings were read again")
}

// changeable are the settings of serving that can change without a restart.
var changeable = map[string]bool{"PIYASA_PLANS": true, "PIYASA_ORIGINS": true}

// needRestart returns the names of changed settings that need a restart.
func needRestart(before, now serving) []string {
	var names []string
	var compare func(a, b reflect.Value)
	compare = func(a, b reflect.Value) {
		for i := range a.NumField() {
			field := a.Type().Field(i)
			if field.Type.Kind() == reflect.Struct {
				compare(a.Field(i), b.Field(i))
			} else if variable := field.Tag.Get("env"); !changeable[variable] && !a.Field(i).Equal(b.Field(i)) {
				names = append(names, settingOf(variable))
			}
		}
	}
	compare(reflect.ValueOf(before), reflect.ValueOf(now))
	return names
}
