package world

import (
	"context"
	"net/http"
	"strconv"
	"testing"

	"piyasa/test/fixture/need"
)

// With a synchronous standby, nothing that was acknowledged is lost, and nobody was
// shown what is.
func TestSynchronousStandby(t *testing.T) {
	t.Parallel()
	p := newPair(t, setup{synchronous: true})
	p.writer.Send(200)
	p.failOver()
	p.writer.Settle()
	p.comeBack()
	p.writer.Write(30)
	p.finish()
}

// Commits that wait for a synchronous standby become visible when the wait ends in
// another way: the primary crashes and starts again, or the wait is cancelled. Nobody
// may be shown them before the standby has them, and ingest may not acknowledge them.
func TestUnconfirmedCommits(t *testing.T) {
	cancel := func(p *pair) {
		p.Fault("the wait for the standby is cancelled")
		p.primary.Do("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
	}
	for name, visible := range map[string]struct {
		become func(*pair)
		ready  int // status of the gateway's readiness then
	}{
		"crash": {func(p *pair) {
			p.Fault("ingest and the primary are killed, and the primary starts again")
			p.writer.Kill()
			p.primary.Kill()
			p.writer.Forget()
			p.primary.Start()
		}, http.StatusOK},
		"cancelled wait": {cancel, http.StatusOK},
		"cancelled wait, and another gateway": {func(p *pair) { // which does not know what may be shown
			cancel(p)
			p.Fault("the gateway is killed, and another one starts")
			p.gateway.Kill()
			p.gateway.Start()
		}, http.StatusServiceUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPair(t, setup{synchronous: true})
			p.Fault("the synchronous standby is cut off")
			p.standby.Upstream.Down()
			p.writer.Send(20)
			p.Wait("disclosures wait for the standby", func(ctx context.Context) bool {
				waiting, err := p.primary.Ask(ctx, `SELECT count(*) > 0 FROM pg_stat_activity AS a JOIN pg_locks AS l USING (pid)
					WHERE a.wait_event = 'SyncRep' AND l.relation = 'disclosures'::regclass AND l.mode = 'RowExclusiveLock'`)
				return err == nil && waiting == "t"
			})
			visible.become(p)
			p.Wait("the commits are visible", func(ctx context.Context) bool {
				visible, err := p.primary.Ask(ctx, "SELECT max(disclosure_index) > 100 FROM disclosures")
				return err == nil && visible == "t"
			})
			p.awaitReadiness(p.gateway, visible.ready)
			p.awaitLooks()
			p.writer.Kill()
			p.writer.Forget()
			p.failOver()
			p.writer.Resume()
			p.writer.Write(30)
			p.finish()
		})
	}
}

// awaitLooks waits until the gateway has looked at the log of the primary a few times
// more.
func (p *pair) awaitLooks() {
	p.T.Helper()
	looks := func(ctx context.Context) int {
		text, err := p.primary.Ask(ctx, "SELECT seq_scan + coalesce(idx_scan, 0) FROM pg_stat_user_tables WHERE relname = 'heads'")
		if err != nil {
			return -1
		}
		n, err := strconv.Atoi(text)
		need.NoError(p.T, err)
		return n
	}
	before := -1
	p.Wait("the gateway looks at the log", func(ctx context.Context) bool {
		now := looks(ctx)
		if before < 0 {
			before = now
		}
		return now >= before+5
	})
}
