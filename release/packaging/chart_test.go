package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	apps "k8s.io/api/apps/v1"
	autoscaling "k8s.io/api/autoscaling/v2"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	"sigs.k8s.io/yaml"
)

// helm is the program, at the version that the test asks for.
const helm = "helm.sh/helm/v3/cmd/helm@v3.18.4"

// kinds are those of Kubernetes that the chart makes.
var kinds = map[string]func() any{
	"ConfigMap": func() any { return new(core.ConfigMap) }, "Service": func() any { return new(core.Service) },
	"Deployment": func() any { return new(apps.Deployment) }, "Job": func() any { return new(batch.Job) },
	"HorizontalPodAutoscaler": func() any { return new(autoscaling.HorizontalPodAutoscaler) },
	"Ingress":                 func() any { return new(networking.Ingress) },
	"NetworkPolicy":           func() any { return new(networking.NetworkPolicy) },
	"PodDisruptionBudget":     func() any { return new(policy.PodDisruptionBudget) },
}

const everything = `
gateway: {autoscaling: {enabled: true, min: 2, max: 8, cpu: 50}}
ingress: {enabled: true, className: nginx, host: api.example.com, tlsSecret: tls, annotations: {a: "b"}}
serviceMonitor: {enabled: true, interval: 15s, labels: {release: prometheus}}
networkPolicy: {enabled: true}
imagePullSecrets: [{name: registry}]
database: {writing: {secret: writer}}
migrate: {secret: owner, key: url}
secrets: {API_KEY: {secret: keys, key: api}}
settings: {max_streams: "5000"}
collect: {sources: '{"sources": {"fx": {"connector": "tcmb"}}}'}
deliver: {sinks: '{"sinks": {}}'}
`

// The chart that is released is one that Helm takes, and renders what Kubernetes takes: every member is
// one that its kind has.
func TestChart(t *testing.T) {
	chart := one(t, "piyasa-chart-"+made.version+".tgz")
	values := filepath.Join(t.TempDir(), "values.yaml")
	if err := os.WriteFile(values, []byte(everything), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		args []string
		want []string
		says []string
	}{
		"as it is": {nil, []string{"Deployment", "Job", "PodDisruptionBudget", "Service", "Service"},
			[]string{`image: "piyasa:` + made.version + `"`, "replicas: 2", `key: "database"`}},
		"with everything": {[]string{"--values", values}, []string{
			"ConfigMap", "ConfigMap", "Deployment", "Deployment", "Deployment", "HorizontalPodAutoscaler", "Ingress", "Job",
			"NetworkPolicy",
			"PodDisruptionBudget", "Service", "Service", "ServiceMonitor",
		}, []string{"PIYASA_BASE_URL, value: \"https://api.example.com\"", "PIYASA_MAX_STREAMS, value: \"5000\"", "API_KEY",
			"PIYASA_DATABASE_WRITE",
			`collect.json: "{\"sources\"`}},
	} {
		output(t, "go", append([]string{"run", helm, "lint", "--strict", chart}, c.args...)...)
		rendered := output(t, "go", append([]string{"run", helm, "template", "piyasa", chart}, c.args...)...)
		var got []string
		for _, document := range strings.Split(rendered, "\n---\n") {
			found := regexp.MustCompile(`(?m)^kind: (\w+)$`).FindStringSubmatch(document)
			if found == nil {
				t.Fatalf("%s: no kind in %s", name, document)
			}
			got = append(got, found[1])
			if of := kinds[found[1]]; of != nil {
				if err := yaml.UnmarshalStrict([]byte(document), of()); err != nil {
					t.Errorf("%s: %v in %s", name, err, document)
				}
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v", name, got)
		}
		for _, says := range c.says {
			if !strings.Contains(rendered, says) {
				t.Errorf("%s: %q is not in\n%s", name, says, rendered)
			}
		}
	}
}
