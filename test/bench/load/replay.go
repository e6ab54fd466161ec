package load

import (
	"fmt"
	"net/netip"
	"time"

	"golang.org/x/sys/unix"
)

// Replay connects, greets but for the last step, and times that one: it must bring
// the numbers from first on, so many of them.
func Replay(to netip.AddrPort, d Dialect, first, count int) (took time.Duration, err error) {
	last := d.Greeting[len(d.Greeting)-1]
	d.Greeting = d.Greeting[:len(d.Greeting)-1]
	fd, rest, err := Dial(to, d)
	if err != nil {
		return 0, err
	}
	defer unix.Close(fd)
	began := time.Now()
	if err := send(fd, last.Say); err != nil {
		return 0, err
	}
	next := first
	var wrong error
	_, err = d.await(fd, rest, last.Until, func(message []byte) {
		if wrong == nil {
			wrong = numbers(message, func(number int) error {
				if number != next {
					return fmt.Errorf("the replay brought number %d instead of %d", number, next)
				}
				next++
				return nil
			})
		}
	})
	took = time.Since(began)
	switch {
	case err != nil:
		return 0, err
	case wrong != nil:
		return 0, wrong
	case next != first+count:
		return 0, fmt.Errorf("the replay brought %d instead of %d", next-first, count)
	}
	return took, nil
}

// Say greets, and returns the message that ends the greeting.
func Say(to netip.AddrPort, d Dialect) (answer []byte, err error) {
	last := d.Greeting[len(d.Greeting)-1]
	d.Greeting = d.Greeting[:len(d.Greeting)-1]
	fd, rest, err := Dial(to, d)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	if err := send(fd, last.Say); err != nil {
		return nil, err
	}
	_, err = d.await(fd, rest, last.Until, func(message []byte) { answer = append([]byte(nil), message...) })
	return answer, err
}
