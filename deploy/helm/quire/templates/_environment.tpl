{{- /* The variables of a node that are no secrets. */ -}}
{{- define "quire.env" -}}
- name: SVC_NODE_NAME
  valueFrom: { fieldRef: { fieldPath: metadata.name } }
- name: POD_NAMESPACE
  valueFrom: { fieldRef: { fieldPath: metadata.namespace } }
- { name: SVC_NODE_ADDRESS, value: "$(SVC_NODE_NAME).{{ include "quire.name" . }}-nodes.$(POD_NAMESPACE).svc:11024" }
- { name: SVC_STORAGE_DRIVER, value: postgres }
- { name: SVC_REPLICAS, value: {{ .Values.replicas | quote }} }
- { name: SVC_INDEX_MEMORY, value: {{ .Values.indexMemory | quote }} }
- { name: SVC_AUTH_ENABLED, value: "true" }
- { name: SVC_LOG_FORMAT, value: json }
{{- with .Values.checkpoints }}
{{- if .place }}
- { name: SVC_CHECKPOINTS, value: {{ .place | quote }} }
{{- end }}
{{- if .endpoint }}
- { name: SVC_CHECKPOINTS_S3_ENDPOINT, value: {{ .endpoint | quote }} }
{{- end }}
{{- if .region }}
- { name: SVC_CHECKPOINTS_S3_REGION, value: {{ .region | quote }} }
{{- end }}
{{- end }}
{{- if .Values.tls.secretName }}
- { name: SVC_TLS_ENABLED, value: "true" }
- { name: SVC_TLS_CERT, value: /tls/tls.crt }
- { name: SVC_TLS_KEY, value: /tls/tls.key }
- { name: SVC_TLS_CLIENT_CA, value: /tls/ca.crt }
# Nodes show a certificate to each other; clients and probes need none.
- { name: SVC_TLS_CLIENT_AUTH, value: request }
{{- end }}
{{- range $name, $value := .Values.settings }}
- { name: {{ $name }}, value: {{ $value | quote }} }
{{- end }}
{{- end }}
