/** What a user of the chart may set: one schema gives values.yaml with its comments, and values.schema.json. */
import { z } from 'zod'

const list = z.array(z.unknown()).default([])
const map = z.record(z.string(), z.unknown()).default({})
/** As Kubernetes has them: `--set` reads a number without quotes. */
const texts = z.record(z.string(), z.string())
const name = z.string().regex(/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/)
/** A port may follow the host; a tag or a digest stands in `tag`. */
const REPOSITORY = /^[^\s:@]+(:[0-9]+\/[^\s:@]+)?$/
const image = (repository: string, tag: string) =>
  z.strictObject({
    repository: z
      .string()
      .regex(REPOSITORY)
      .default(repository)
      .describe('Without a tag, such as registry.example.com/nodewave.'),
    tag: z.string().regex(/^\S+$/).default(tag).describe('A digest may follow: 0.1.0@sha256:….'),
  })
/** An option and its value are one item: in two items, or with a space between, the controller would not start. */
const OPTION = /^--[a-z][a-z0-9-]*(=.*)?$/
const variable = z.looseObject({ name: z.string().min(1), value: z.string().optional() })
const switchedOff = (what: string) => z.boolean().default(false).describe(what)

/** Defaults that the manifests of deploy/ have. */
export interface ManifestDefaults {
  readonly version: string
  readonly replicas: number
  readonly resources: Record<string, unknown>
  readonly priorityClassName: string
  readonly agentTolerations: readonly unknown[]
}

export function chartValues({ version, replicas, resources, priorityClassName, agentTolerations }: ManifestDefaults) {
  const repository = z.strictObject({
    url: z.string().regex(/^\S*$/).default('').describe('The fleet repository, over HTTPS or SSH, without a password. Required.'),
    branch: z
      .string()
      .regex(/^\S*$/)
      .default('main')
      .describe('The branch that is followed. Empty where controller.options has --tag, --semver or --commit.'),
  })
  const controller = z.strictObject({
    replicas: z.int().min(1).default(replicas).describe('One leads, the others stand by.'),
    options: z
      .array(z.string().regex(OPTION))
      .default([])
      .describe('Further options, such as --token-file=/etc/nodewave/git/token. All: nodewave controller --help.'),
    resources: z.record(z.string(), z.unknown()).default(resources),
    priorityClassName: name.default(priorityClassName),
    nodeSelector: texts.default({}),
    tolerations: list,
    affinity: map,
    podAnnotations: texts.default({}),
    imagePullSecrets: list.describe('Names of Secrets in nodewave-system, as [{name: registry}].'),
    env: z.array(variable).default([]).describe('Further environment variables, such as HTTPS_PROXY.'),
    volumes: list,
    volumeMounts: list,
  })
  const agents = z.strictObject({
    enabled: switchedOff('Install and upgrade the agents by a DaemonSet, as root on every node it selects.'),
    image: image('nodewave-agent', version),
    maxUnavailable: z
      .union([z.int().min(1), z.string().regex(/^([1-9][0-9]?|100)%$/)])
      .default(1)
      .describe('Agents that are upgraded at a time.'),
    nodeSelector: texts.default({ 'kubernetes.io/os': 'linux' }),
    tolerations: z.array(z.unknown()).default([...agentTolerations]),
    imagePullSecrets: list.describe('Names of Secrets in nodewave-agents.'),
  })
  return z.strictObject({
    image: image('nodewave', version).describe('The image of the controller.'),
    repository,
    controller,
    crds: z.strictObject({
      install: z.boolean().default(true).describe('The kinds NodePool and Ceiling. They stay when the release is uninstalled.'),
    }),
    agents,
    webhook: z.strictObject({
      enabled: switchedOff(
        'Service and port for the forge: docs/webhooks.md. Make the Secret first: without it no controller starts.',
      ),
      secretName: name.default('nodewave-webhook').describe('Secret in nodewave-system with the key "secret".'),
    }),
    notifications: z.strictObject({
      enabled: switchedOff(
        'Tell Slack, Teams, a mailbox or a webhook what happens: docs/notifications.md. Make the Secret nodewave-notifications first.',
      ),
    }),
    metrics: z.strictObject({
      enabled: switchedOff('Service for Prometheus, and a NetworkPolicy that lets it in.'),
      namespace: name.default('monitoring').describe('The namespace that Prometheus asks from.'),
    }),
    prometheus: z.strictObject({
      enabled: switchedOff(
        'ServiceMonitor and alert rules, for clusters with the Prometheus Operator. Switches on metrics, too.',
      ),
    }),
    grafana: z.strictObject({
      enabled: switchedOff("The dashboard as a ConfigMap with the label grafana_dashboard, which Grafana's sidecar finds."),
      namespace: name.default('nodewave-system').describe('Where the sidecar looks: often its own namespace alone.'),
    }),
    gates: z.strictObject({ enabled: switchedOff('Let the controller run Jobs as gates: docs/rollouts.md.') }),
    secrets: z.strictObject({ enabled: switchedOff('Let the controller hand on encrypted files as Secrets: docs/security.md.') }),
    secretRefs: z.strictObject({
      enabled: switchedOff('Let the controller read Secrets that files name: docs/security.md. Switches on secrets, too.'),
    }),
  })
}

export type ChartSchema = ReturnType<typeof chartValues>
