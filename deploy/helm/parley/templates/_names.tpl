{{- define "parley.name" -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "parley.labels" -}}
app.kubernetes.io/name: parley
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{- define "parley.selector" -}}
app.kubernetes.io/name: parley
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "parley.secret" -}}
{{- if .Values.existingSecret -}}{{ .Values.existingSecret }}{{- else -}}{{ include "parley.name" . }}{{- end -}}
{{- end -}}

{{- define "parley.claim" -}}
{{- if .Values.persistence.existingClaim -}}{{ .Values.persistence.existingClaim }}{{- else -}}{{ include "parley.name" . }}-files{{- end -}}
{{- end -}}

{{- /* YAML reads an unquoted on or off as true or false, and Helm prints large numbers as 5e+07. */ -}}
{{- define "parley.setting" -}}
{{- if kindIs "bool" . -}}{{ ternary "on" "off" . | quote }}{{- else if kindIs "float64" . -}}{{ toJson . | quote }}{{- else -}}{{ . | quote }}{{- end -}}
{{- end -}}
