package answer_test

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"piyasa/account/access"
	"piyasa/serve/answer"
	"piyasa/test/fixture/need"
)

func kept(body string) func() *answer.Kept {
	return func() *answer.Kept {
		return &answer.Kept{Media: "application/json", Body: []byte(body), Used: []access.Used{{Units: 1}}}
	}
}

func of(t testing.TB, m *answer.Memory[int], key string, stamp int, body string) *answer.Kept {
	t.Helper()
	k, err := m.Of(t.Context(), key, stamp, kept(body))
	need.NoError(t, err)
	return k
}

// An answer is given again to an equal request in the same state, and to no other.
func TestMemory(t *testing.T) {
	m := answer.NewMemory[int]([]byte("secret"))
	first := of(t, m, "a", 1, "made at 1")
	for _, c := range []struct {
		key   string
		stamp int
		want  string
	}{{"a", 1, "made at 1"}, {"b", 1, "made now"}, {"a", 2, "made now"}, {"a", 2, "made now"}, {"a", 1, "made later"}} {
		body := "made now"
		if c.want == "made later" {
			body = c.want
		}
		got := of(t, m, c.key, c.stamp, body)
		if string(got.Body) != c.want || got.Tag != m.Tag(c.key, c.stamp) {
			t.Errorf("%s at %d: %s %s", c.key, c.stamp, got.Body, got.Tag)
		}
	}
	other := answer.NewMemory[int]([]byte("another secret"))
	if first.Tag == m.Tag("a", 2) || first.Tag == m.Tag("b", 1) || first.Tag == other.Tag("a", 1) || !strings.HasPrefix(first.Tag, `W/"`) {
		t.Errorf("the tag %s says too little", first.Tag)
	}
}

// What run writes itself, and what is too long, is not given to others.
func TestNotKept(t *testing.T) {
	m := answer.NewMemory[int](nil)
	if k, err := m.Of(t.Context(), "a", 1, func() *answer.Kept { return nil }); k != nil || err != nil {
		t.Error(k, err)
	}
	if got := of(t, m, "a", 1, "x"); string(got.Body) != "x" {
		t.Errorf("%s", got.Body)
	}
	long := strings.Repeat("x", 2<<20)
	of(t, m, "long", 1, long)
	if got := of(t, m, "long", 1, "y"); string(got.Body) != "y" {
		t.Error("an answer of 2 MiB was kept")
	}
	of(t, m, long, 1, "x")
	if got := of(t, m, long, 1, "y"); string(got.Body) != "y" || got.Tag != "" {
		t.Error("a request of 2 MiB was kept")
	}
}

// Who comes in a new state while an answer of before is being made does not wait for it, and
// shares one of the new state, which that of before does not replace.
func TestTogetherInANewState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := answer.NewMemory[int](nil)
		holds, made := []chan struct{}{make(chan struct{}), make(chan struct{})}, [2]atomic.Int64{}
		bodies := make(chan string, 6)
		ask := func(state int) {
			go func() {
				k, _ := m.Of(t.Context(), "a", state, func() *answer.Kept {
					made[state].Add(1)
					<-holds[state]
					return kept(fmt.Sprint("at ", state))()
				})
				bodies <- string(k.Body)
			}()
			synctest.Wait()
		}
		ask(0)
		for range 5 {
			ask(1)
		}
		close(holds[1])
		for range 5 {
			if body := <-bodies; body != "at 1" {
				t.Error(body)
			}
		}
		close(holds[0])
		if body := <-bodies; body != "at 0" || made[0].Load() != 1 || made[1].Load() != 1 {
			t.Errorf("%s; made %d and %d times", body, made[0].Load(), made[1].Load())
		}
		synctest.Wait()
		if got := of(t, m, "a", 1, "made again"); string(got.Body) != "at 1" {
			t.Errorf("%s", got.Body)
		}
	})
}

// When the client goes whose request makes an answer, one of those who wait makes it, for all.
func TestTogetherWithoutTheFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := answer.NewMemory[int](nil)
		leaving, leave := context.WithCancel(t.Context())
		go func() {
			_, _ = m.Of(leaving, "a", 1, func() *answer.Kept {
				<-leaving.Done()
				return nil
			})
		}()
		synctest.Wait()
		var made atomic.Int64
		var all sync.WaitGroup
		for range 5 {
			all.Go(func() {
				k, err := m.Of(t.Context(), "a", 1, func() *answer.Kept {
					made.Add(1)
					time.Sleep(time.Second)
					return kept("made")()
				})
				if err != nil || string(k.Body) != "made" {
					t.Error(k, err)
				}
			})
		}
		synctest.Wait()
		leave()
		all.Wait()
		if made.Load() != 1 {
			t.Errorf("made %d times", made.Load())
		}
	})
}

// Equal requests that come together are answered once. One in another state does not
// wait, one that leaves takes nobody along, and after a panic the others answer themselves.
func TestTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := answer.NewMemory[int](nil)
		hold, made := make(chan struct{}), 0
		var mu sync.Mutex
		slow := func() *answer.Kept {
			mu.Lock()
			made++
			mu.Unlock()
			<-hold
			return kept("slow")()
		}
		bodies := make(chan string, 5)
		for range 5 {
			go func() {
				k, _ := m.Of(t.Context(), "a", 1, slow)
				bodies <- string(k.Body)
			}()
		}
		synctest.Wait()
		leaving, leave := context.WithCancel(t.Context())
		left := make(chan error, 1)
		go func() {
			_, err := m.Of(leaving, "a", 1, slow)
			left <- err
		}()
		synctest.Wait()
		if got := of(t, m, "a", 2, "at 2"); string(got.Body) != "at 2" {
			t.Errorf("%s", got.Body)
		}
		leave()
		if err := <-left; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		close(hold)
		for range 5 {
			if body := <-bodies; body != "slow" {
				t.Error(body)
			}
		}
		if made != 1 {
			t.Errorf("made %d times", made)
		}

		panics, waiting := make(chan struct{}), make(chan string, 1)
		go func() {
			defer func() { _ = recover() }()
			_, _ = m.Of(t.Context(), "b", 1, func() *answer.Kept { <-panics; panic("oh") })
		}()
		synctest.Wait()
		go func() {
			k, _ := m.Of(t.Context(), "b", 1, kept("by itself"))
			waiting <- string(k.Body)
		}()
		synctest.Wait()
		close(panics)
		if body := <-waiting; body != "by itself" {
			t.Error(body)
		}
	})
}

// 304 answers exactly who names the tag.
func TestWriteKept(t *testing.T) {
	for header, want := range map[string]int{`W/"t"`: 304, `"t"`: 304, `"x", W/"t"`: 304, `*`: 304, `"x"`: 200, ``: 200, `t`: 200} {
		r := httptest.NewRequestWithContext(t.Context(), "GET", "/", nil)
		if header != "" {
			r.Header.Set("If-None-Match", header)
		}
		w := httptest.NewRecorder()
		(&answer.Kept{Media: "application/json", Body: []byte("{}"), Tag: `W/"t"`}).Write(w, r)
		if got := fmt.Sprint(w.Code, " ", w.Header().Get("Cache-Control"), " ", w.Header().Get("Vary"), " ",
			w.Header().Get("ETag")); got != fmt.Sprint(want, ` private, no-cache X-API-Key W/"t"`) || w.Code == 304 && w.Body.Len() > 0 {
			t.Errorf("%s: %s", header, got)
		}
	}
}
