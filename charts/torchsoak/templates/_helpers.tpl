{{/* Labels of an object of this release. */}}
{{- define "torchsoak.labels" -}}
app.kubernetes.io/name: "torchsoak"
app.kubernetes.io/instance: {{ .Release.Name | quote }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/part-of: "torchsoak"
app.kubernetes.io/managed-by: {{ .Release.Service | quote }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name (.Chart.Version | replace "+" "_") | quote }}
{{- end }}

{{/* What finds the operator's pods. Never a version: a Deployment's selector cannot change. */}}
{{- define "torchsoak.selector" -}}
app.kubernetes.io/name: "torchsoak"
app.kubernetes.io/component: "controller"
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end }}

{{/* An image by registry, repository, tag and digest: (list IMAGE DEFAULT-TAG) */}}
{{- define "torchsoak.image" -}}
{{- $image := index . 0 -}}
{{- with $image.registry }}{{ . }}/{{ end -}}
{{ $image.repository }}
{{- if $image.digest }}@{{ $image.digest }}{{ else }}:{{ $image.tag | default (index . 1) }}{{ end -}}
{{- end }}

{{/* A map of text to text, every value quoted: YAML reads a bare no or 1e3 as something else. */}}
{{- define "torchsoak.textMap" -}}
{{- range $key, $value := . }}
{{ $key | quote }}: {{ $value | quote }}
{{- end }}
{{- end }}

{{/* Cluster-wide names hold the namespace, so that two releases never share a role. */}}
{{- define "torchsoak.clusterName" -}}
{{ .Release.Namespace }}:torchsoak-controller
{{- end }}

{{/* What the operator may do where StressTests live, and nothing more. */}}
{{- define "torchsoak.rules" -}}
- apiGroups: ["torchsoak.dev"]
  resources: ["stresstests"]
  verbs: ["get", "list", "watch", "delete"] # delete: when their time to live is over
- apiGroups: ["torchsoak.dev"]
  resources: ["stresstests/status"]
  verbs: ["get", "update", "patch"]
- apiGroups: ["torchsoak.dev"]
  resources: ["stresstests/finalizers"]
  verbs: ["update"] # to own objects with blockOwnerDeletion
- apiGroups: ["batch"]
  resources: ["jobs"]
  verbs: ["get", "list", "watch", "create", "delete"]
- apiGroups: [""]
  resources: ["pods"]
  verbs: ["get", "list", "watch"]
{{- if eq .Values.results.detail "Logs" }}
- apiGroups: [""]
  resources: ["pods/log"]
  verbs: ["get"]
{{- end }}
- apiGroups: [""]
  resources: ["configmaps"]
  verbs: ["get", "create"] # full reports
- apiGroups: ["events.k8s.io"]
  resources: ["events"]
  verbs: ["create", "patch"]
{{- end }}

{{- define "torchsoak.subject" -}}
- kind: "ServiceAccount"
  name: {{ .Values.serviceAccount.name | quote }}
  namespace: {{ .Release.Namespace | quote }}
{{- end }}
