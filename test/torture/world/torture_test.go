package world

import (
	"fmt"
	"net/http"
	"os"
	"testing"
	"time"
)

// durationVariable says how long TestTorture runs.
const durationVariable = "TORTURE"

// Random faults hit a pair of databases, its gateway and its writer, in rounds of a
// world each, for as long as TORTURE says; without it, in one round. The
// first round has the seed of the environment, so a round that failed can be repeated by
// its own seed.
func TestTorture(t *testing.T) {
	text := os.Getenv(durationVariable)
	if text == "" {
		t.Parallel()
		tortureRound(New(t))
		return
	}
	duration, err := time.ParseDuration(text)
	if err != nil {
		t.Fatalf("%s: %v", durationVariable, err)
	}
	end := time.Now().Add(duration)
	for seed := Seed(t); time.Now().Before(end) && !t.Failed(); seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { tortureRound(newWorld(t, seed)) })
	}
}

// faultsPerRound keeps a round so short that its history can be read.
const faultsPerRound = 12

func tortureRound(w *World) {
	p := w.newPair(setup{synchronous: w.Random.IntN(2) == 0, severalHosts: w.Random.IntN(2) == 0})
	for range faultsPerRound {
		p.writer.Send(1 + w.Random.IntN(40))
		if w.Random.IntN(2) == 0 {
			p.writer.Settle()
		}
		faults[w.Random.IntN(len(faults))](p)
	}
	p.finish()
}

// faults are what may happen to a pair. Each leaves everything running.
var faults = []func(*pair){
	func(p *pair) {
		p.Fault("ingest is killed")
		p.writer.Kill()
	},
	func(p *pair) {
		p.Fault("the gateway is killed")
		p.gateway.Kill()
		p.writer.Send(20)
		p.gateway.Start()
	},
	func(p *pair) {
		p.Fault("the gateway stops and starts")
		p.gateway.Stop()
		p.gateway.Start()
	},
	func(p *pair) {
		p.Fault("Postgres is killed")
		p.primary.Kill()
		p.primary.Start()
	},
	func(p *pair) {
		p.Fault("Postgres stops at once")
		p.primary.Abort()
		p.primary.Start()
	},
	func(p *pair) {
		p.Fault("Postgres stops in order")
		p.primary.Stop()
		p.primary.Start()
	},
	func(p *pair) { p.breakNetwork("clients", p.gateway.Network) },
	func(p *pair) { p.breakNetwork("the database", p.address) },
	func(p *pair) { // a synchronous standby would hold commits back
		if p.primary.Do("SHOW synchronous_standby_names") != "" {
			return
		}
		p.writer.Settle()
		p.loseRows(1 + p.Random.IntN(30))
		p.failOver()
		p.writer.Send(1 + p.Random.IntN(40))
		p.comeBack()
	},
	func(p *pair) { // with rows on their way
		synchronous := p.primary.Do("SHOW synchronous_standby_names") != ""
		p.failOver()
		p.comeBack()
		if synchronous {
			p.primary.MakeSynchronous(p.standby)
		}
	},
}

// breakNetwork lets a network fail in one of its ways while rows are stored, and
// mends it.
func (p *pair) breakNetwork(name string, network *Proxy) {
	p.T.Helper()
	ways := []struct {
		what string
		does func()
	}{
		{"is slow", network.Slow},
		{"cuts messages", func() { network.CutAfter(1000 + p.Random.IntN(20_000)) }},
		{"resets connections", network.Reset},
		{"swallows everything", network.BlackHole},
		{"swallows answers", network.Deafen},
		{"is down", network.Down},
	}
	way := ways[p.Random.IntN(len(ways))]
	p.Fault("the network to " + name + " " + way.what)
	way.does()
	p.writer.Send(20)
	time.Sleep(time.Duration(p.Random.IntN(3000)) * time.Millisecond) // how long it lasts
	network.Heal()
	if way.what == "is down" {
		network.Up()
	}
	p.awaitReadiness(p.gateway, http.StatusOK)
}
