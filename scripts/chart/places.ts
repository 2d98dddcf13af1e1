/** Where in the manifests of deploy/ a value of the chart stands instead, and which manifests a value switches on. */

/** How a value is written into a template. */
export type Form =
  | { readonly write: 'scalar'; readonly expression: string }
  /** An item of a list; left out while the value is empty. */
  | { readonly write: 'option'; readonly value: string; readonly format: string }
  /** A map or a list; left out while it is empty. */
  | { readonly write: 'block'; readonly value: string }
  /** Items after those that a list has. */
  | { readonly write: 'items'; readonly value: string }
  /** Lines of a list, when a value is on. */
  | { readonly write: 'lines'; readonly when: string; readonly lines: readonly string[] }

export interface Place {
  readonly kind: string
  readonly name: string
  /** A number that is the length of its list adds to it. */
  readonly path: readonly (string | number)[]
  readonly form: Form
}

export interface ManifestFile {
  /** Below deploy/. */
  readonly file: string
  /** The values of which any one switches it on; absent: always there. */
  readonly when?: readonly string[]
  /** Whether it stays when the release goes. Kinds and namespaces always do. */
  readonly stays?: boolean
  readonly places?: readonly Place[]
}

const scalar = (expression: string): Form => ({ write: 'scalar', expression })
const block = (value: string): Form => ({ write: 'block', value })
const items = (value: string): Form => ({ write: 'items', value })

function placesOf(kind: string, name: string, places: readonly (readonly [Place['path'], Form])[]): Place[] {
  return places.map(([path, form]) => ({ kind, name, path, form }))
}

const pod = ['spec', 'template', 'spec'] as const
const controller = [...pod, 'containers', 0] as const
const last = Number.POSITIVE_INFINITY

const controllerPlaces = placesOf('Deployment', 'nodewave-controller', [
  [['spec', 'replicas'], scalar('.Values.controller.replicas')],
  [['spec', 'template', 'metadata', 'annotations'], block('controller.podAnnotations')],
  [[...pod, 'priorityClassName'], scalar('.Values.controller.priorityClassName | quote')],
  [[...pod, 'imagePullSecrets'], block('controller.imagePullSecrets')],
  [[...pod, 'nodeSelector'], block('controller.nodeSelector')],
  [[...pod, 'tolerations'], block('controller.tolerations')],
  [[...pod, 'affinity'], block('controller.affinity')],
  [[...controller, 'image'], scalar('printf "%s:%s" .Values.image.repository .Values.image.tag | quote')],
  [
    [...controller, 'args', 1],
    scalar(
      'required "repository.url: state the URL of the fleet repository" .Values.repository.url | printf "--repo=%s" | quote',
    ),
  ],
  [[...controller, 'args', 2], { write: 'option', value: 'repository.branch', format: '--branch=%s' }],
  [
    [...controller, 'args', last],
    {
      write: 'lines',
      when: 'webhook.enabled',
      lines: ['"--webhook-address=:9443"', '"--webhook-secret-file=/etc/nodewave/webhook/secret"'],
    },
  ],
  [
    [...controller, 'args', last],
    {
      write: 'lines',
      when: 'notifications.enabled',
      lines: ['"--notifications=/etc/nodewave/notifications/notifications.yaml"'],
    },
  ],
  [[...controller, 'args', last], items('controller.options')],
  [[...controller, 'env', last], items('controller.env')],
  [[...controller, 'resources'], block('controller.resources')],
  [
    [...controller, 'volumeMounts', last],
    { write: 'lines', when: 'webhook.enabled', lines: ['{name: webhook, mountPath: /etc/nodewave/webhook, readOnly: true}'] },
  ],
  [[...controller, 'volumeMounts', last], items('controller.volumeMounts')],
  [
    [...pod, 'volumes', last],
    {
      write: 'lines',
      when: 'webhook.enabled',
      lines: ['{name: webhook, secret: {secretName: {{ .Values.webhook.secretName | quote }}}}'],
    },
  ],
  [[...pod, 'volumes', last], items('controller.volumes')],
])

const agentImage = scalar('printf "%s:%s" .Values.agents.image.repository .Values.agents.image.tag | quote')
const agentPlaces = placesOf('DaemonSet', 'nodewave-agent', [
  [['spec', 'updateStrategy', 'rollingUpdate', 'maxUnavailable'], scalar('.Values.agents.maxUnavailable')],
  [[...pod, 'initContainers', 0, 'image'], agentImage],
  [[...pod, 'containers', 0, 'image'], agentImage],
  [[...pod, 'imagePullSecrets'], block('agents.imagePullSecrets')],
  [[...pod, 'nodeSelector'], block('agents.nodeSelector')],
  [[...pod, 'tolerations'], block('agents.tolerations')],
])

const prometheusNamespace: Place['path'] = [
  ...['spec', 'ingress', 0, 'from', 0, 'namespaceSelector', 'matchLabels'],
  'kubernetes.io/metadata.name',
]

/**
 * All of deploy/ but agent-rbac.yaml, which is for agents without a controller. A pause outlives a release. So do the admission
 * policies: agents are services of their hosts, and obey annotations also while no controller is installed.
 */
export const manifestFiles: readonly ManifestFile[] = [
  { file: 'namespace.yaml' },
  { file: 'crds/nodepools.yaml', when: ['crds.install'] },
  { file: 'crds/ceilings.yaml', when: ['crds.install'] },
  { file: 'controller-rbac.yaml' },
  { file: 'admission.yaml', stays: true },
  { file: 'controller.yaml', places: controllerPlaces },
  { file: 'network-policy.yaml' },
  { file: 'gates.yaml' },
  { file: 'gates-rbac.yaml', when: ['gates.enabled'] },
  { file: 'fleet-controls.yaml', stays: true },
  { file: 'operator-rbac.yaml' },
  { file: 'agents.yaml', when: ['agents.enabled'], places: agentPlaces },
  { file: 'webhook.yaml', when: ['webhook.enabled'] },
  {
    file: 'metrics.yaml',
    when: ['metrics.enabled', 'prometheus.enabled'],
    places: placesOf('NetworkPolicy', 'metrics-in', [[prometheusNamespace, scalar('.Values.metrics.namespace | quote')]]),
  },
  { file: 'prometheus.yaml', when: ['prometheus.enabled'] },
  {
    file: 'grafana.yaml',
    when: ['grafana.enabled'],
    places: placesOf('ConfigMap', 'nodewave-grafana', [[['metadata', 'namespace'], scalar('.Values.grafana.namespace | quote')]]),
  },
  { file: 'secrets-rbac.yaml', when: ['secrets.enabled', 'secretRefs.enabled'] },
  { file: 'secret-refs-rbac.yaml', when: ['secretRefs.enabled'] },
]
