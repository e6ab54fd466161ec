{{- define "piyasa.labels" -}}
app.kubernetes.io/name: piyasa
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}
{{- define "piyasa.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}
{{- define "piyasa.from" -}}
valueFrom: {secretKeyRef: {name: {{ .secret | quote }}, key: {{ .key | quote }}}}
{{- end }}
{{- define "piyasa.env" -}}
- name: PIYASA_DATABASE
  {{- include "piyasa.from" .Values.database | nindent 2 }}
{{- with .Values.database.writing }}
{{- if .secret }}
- name: PIYASA_DATABASE_WRITE
  {{- include "piyasa.from" . | nindent 2 }}
{{- end }}
{{- end }}
{{- range $name, $value := .Values.settings }}
- {name: PIYASA_{{ $name | upper }}, value: {{ $value | quote }}}
{{- end }}
{{- end }}
{{- define "piyasa.secrets" -}}
{{- range $name, $from := .Values.secrets }}
- name: {{ $name }}
  {{- include "piyasa.from" $from | nindent 2 }}
{{- end }}
{{- end }}
{{- define "piyasa.pod" -}}
automountServiceAccountToken: false
securityContext: {runAsNonRoot: true, runAsUser: 65532, runAsGroup: 65532, fsGroup: 65532, seccompProfile: {type: RuntimeDefault}}
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{ toJson . }}
{{- end }}
{{- end }}
{{- define "piyasa.container" -}}
image: {{ include "piyasa.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext: {allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: {drop: [ALL]}}
{{- end }}
