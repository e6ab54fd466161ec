//go:build unix

package filelock

import (
	"errors"
	"os"
	"syscall"
)

func try(file *os.File, how Kind) error {
	operation := syscall.LOCK_SH
	if how == Exclusive {
		operation = syscall.LOCK_EX
	}
	err := syscall.Flock(int(file.Fd()), operation|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrHeld
	}
	return err
}
