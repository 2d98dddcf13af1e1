import { partsOf } from './revision-id.ts'

/**
 * Every name that controller, agent, people and `kubectl` meet each other by. Nothing else in the project spells
 * an annotation, a label or an object name: a second spelling is a protocol break that no compiler sees.
 */

/** The prefix of annotations and labels, unless `--annotation-prefix` says another one. */
export const DEFAULT_PREFIX = 'nodewave.io'

/** The prefix of the CoreOS Node Agent, whose annotations an agent of ours obeys when started with it. */
export const COREOS_PREFIX = 'node-agent.alpha.coreos.com'

/** Where payload ConfigMaps and the lease live by default. Every kubelet may read the ConfigMaps there. */
export const DEFAULT_NAMESPACE = 'nodewave-system'

/** Where accepted revisions live by default: a whole fleet's configuration, which no node may read. */
export const DEFAULT_REVISIONS_NAMESPACE = 'nodewave-revisions'
/** Where people write Secrets whose values hosts are to get, by default. */
export const DEFAULT_SECRETS_NAMESPACE = 'nodewave-secrets'
/** Of the Jobs of gates, and their templates. Apart: a pod may mount every Secret of its namespace. */
export const DEFAULT_GATES_NAMESPACE = 'nodewave-gates'

/** Besides the controller, it alone writes what agents obey; see deploy/admission.yaml. */
export const BREAK_GLASS_GROUP = 'nodewave:break-glass'

/** Where the pods run that prove a changed node. The controller may make pods there, and nowhere else. */
export const PROOF_NAMESPACE = 'nodewave-proof'

export const API_GROUP = 'nodewave.io'
export const API_VERSION = 'v1alpha1'
export const NODEPOOLS = 'nodepools'
export const CONTROLLER_LEASE = 'nodewave-controller'

/** On that Lease: the release of the controller that leads. */
export const LEADER_VERSION = `${DEFAULT_PREFIX}/leader-version`
/** On that Lease: since when time counts for the controller that leads. */
export const TIME_COUNTS_SINCE = `${DEFAULT_PREFIX}/time-counts-since`
/** Its time is that of the last push that a forge delivered to one of the controllers. */
export const PUSH_LEASE = 'nodewave-push'

/** The unit that runs the agent. It cannot restart itself in the middle of a change: it would be interrupted by that, undo it, and begin again. */
export const AGENT_UNIT = 'nodewave-agent.service'

/** Of a repository that nodewave manages. */
export function aptSourcesFile(name: string): string {
  return `/etc/apt/sources.list.d/nodewave-${name}.sources`
}

/** The same for dnf. */
export function dnfRepositoryFile(name: string): string {
  return `/etc/yum.repos.d/nodewave-${name}.repo`
}

/** The same for zypper. */
export function zypperRepositoryFile(name: string): string {
  return `/etc/zypp/repos.d/nodewave-${name}.repo`
}

/** The key that signs the rpm packages of it. */
export function rpmKeyFile(name: string): string {
  return `/etc/pki/rpm-gpg/nodewave-${name}.asc`
}

/** How a package is named among paths and units: in `drift`, and where a unit restarts on it. */
export function packageSubject(name: string): string {
  return `package:${name}`
}

/** The keys of a payload's `data`. */
export const PAYLOAD_KEYS = { flags: 'kubelet-flags', config: 'kubelet', host: 'host', secret: 'secret' } as const

export interface Names {
  /** Written by the controller, or by a person: what the node is to become. */
  readonly desiredConfig: string
  /** Written by the agent: what was last applied and proved healthy. */
  readonly currentConfig: string
  /** Written by the agent: how it goes. */
  readonly status: string
  /** Written by a person: a reason to leave the node out of every rollout. */
  readonly hold: string
  /** Written by a person: the boot of the machine that has to end, and why; removed by the controller when it has. See `reboot-order.ts`. */
  readonly reboot: string
  /** Written by the controller: what it cordoned the node for, and when; only then may it uncordon. See `cordon-mark.ts`. */
  readonly cordonedFor: string
  /** Written by the controller with each assignment: what the node ran before. See `node-history.ts`. */
  readonly history: string
  /** Written by the controller: whether a pod has to run on the node, and what came of it. See `node-proof.ts`. */
  readonly proof: string
  /** Written by the controller: `Allow` lets the admission policy take a desired-config from anybody who may patch the Node. */
  readonly byHand: string
  /** Written by the controller with an assignment whose numbers depend on the machine: its capacity then, and the fingerprint of the pool. */
  readonly renderedFrom: string
  /** Written by the controller: which labels, annotations and taints of the Node it wrote. See `node-settings.ts`. */
  readonly settings: string
  /** Label, written by the controller: the pool that owns the node. */
  readonly pool: string
}

export function namesFor(prefix: string = DEFAULT_PREFIX): Names {
  return {
    desiredConfig: `${prefix}/desired-config`,
    currentConfig: `${prefix}/current-config`,
    status: `${prefix}/status`,
    hold: `${prefix}/hold`,
    reboot: `${prefix}/reboot`,
    cordonedFor: `${prefix}/cordoned-for`,
    history: `${prefix}/history`,
    proof: `${prefix}/proof`,
    byHand: `${prefix}/by-hand`,
    renderedFrom: `${prefix}/rendered-from`,
    settings: `${prefix}/node-settings`,
    pool: `${prefix}/pool`,
  }
}

/** Annotations that people set on a NodePool to steer it. */
export const POOL_CONTROLS = {
  paused: `${DEFAULT_PREFIX}/paused`,
  promote: `${DEFAULT_PREFIX}/promote`,
  retry: `${DEFAULT_PREFIX}/retry`,
  rollback: `${DEFAULT_PREFIX}/rollback`,
  reconcileAt: `${DEFAULT_PREFIX}/reconcile-at`,
  /** Beside a pause: drains under way are stopped, too. */
  stopDrains: `${DEFAULT_PREFIX}/stop-drains`,
} as const

/** Of them, those that the controller clears, by what a pool's controls call them. */
export const CLEARED_CONTROLS = {
  retry: POOL_CONTROLS.retry,
  rollback: POOL_CONTROLS.rollback,
  promoted: POOL_CONTROLS.promote,
} as const

/** The ConfigMap whose `paused` annotation holds every pool, those that come later too. */
export const FLEET_CONFIG_MAP = 'nodewave-fleet'

/** The annotation beside a control that says who wrote it or took it back, and when. */
export function askedByKey(control: string): string {
  return `${control}-by`
}

/** Labels and annotations of the ConfigMaps that the controller owns. */
export const OBJECT_KEYS = {
  managedBy: 'app.kubernetes.io/managed-by',
  pool: `${DEFAULT_PREFIX}/pool`,
  kind: `${DEFAULT_PREFIX}/kind`,
  revision: `${DEFAULT_PREFIX}/revision`,
  /** Annotation: since when nobody needs it. It is deleted some time later. */
  unneededSince: `${DEFAULT_PREFIX}/unneeded-since`,
} as const

/** Annotations of a Job that a gate made. */
export const GATE_KEYS = { wave: `${DEFAULT_PREFIX}/wave`, gate: `${DEFAULT_PREFIX}/gate` } as const

/** Annotations of a pod that proves a node: the assignment that it is for, and when the controller made it. */
export const PROOF_KEYS = {
  digest: `${DEFAULT_PREFIX}/digest`,
  assignedAt: `${DEFAULT_PREFIX}/assigned-at`,
  startedAt: `${DEFAULT_PREFIX}/started-at`,
} as const

/** The value of `managedBy` on everything the controller owns. */
export const MANAGER = 'nodewave'

/** Annotations of the ConfigMaps that keep an accepted revision; every part carries them all. */
export const REVISION_KEYS = {
  /** Which part this is, from 0. */
  part: `${DEFAULT_PREFIX}/part`,
  parts: `${DEFAULT_PREFIX}/parts`,
  /** Of all parts together, compressed as they are. */
  sha256: `${DEFAULT_PREFIX}/sha256`,
  /** Grows with each acceptance: clocks jump, and a revert may accept an old commit again. */
  sequence: `${DEFAULT_PREFIX}/sequence`,
  /** Milliseconds since the epoch, when it became the last accepted. Absent: an earlier release kept it. */
  acceptedAt: `${DEFAULT_PREFIX}/accepted-at`,
  author: `${DEFAULT_PREFIX}/author`,
  /** Milliseconds since the epoch: what a commit claims need not be a date that can be written as one. */
  committedAt: `${DEFAULT_PREFIX}/committed-at`,
  subject: `${DEFAULT_PREFIX}/subject`,
} as const

/** Before the name of a pool, on the first part of a revision: the fingerprint with which it failed there. */
export const REJECTED_PREFIX = `rejected.${DEFAULT_PREFIX}`

export type PayloadKind = 'kubelet' | 'host' | 'secret'

/** Name of an immutable payload, a ConfigMap or for secrets a Secret: nodes with equal content share one. */
export function payloadName(pool: string, kind: PayloadKind, digest: string): string {
  return `${pool}-${kind}-${bareHash(digest).slice(0, 10)}`
}

/** Name of one part of an accepted revision's documents. */
export function revisionName(revision: string, part: number): string {
  return `${baseName(revision)}-${part}`
}

/** Name of the Secret that keeps what a revision took from Secrets. */
export function revisionSecretName(revision: string): string {
  return `${baseName(revision)}-secrets`
}

function baseName(revision: string): string {
  const { commit, contents } = partsOf(revision)
  return ['fleet', commit.slice(0, 12), ...(contents === undefined ? [] : [contents])].join('-')
}

/** Name of the Role and RoleBinding by which a node reads its payloads. */
export function accessName(node: string): string {
  return `nodewave-node-${node}`
}

/** Name of the Role by which many nodes read one payload, and the beginning of the names of its RoleBindings. */
export function sharedAccessName(payload: string): string {
  return `nodewave-payload-${payload}`
}

function bareHash(digest: string): string {
  return digest.slice(digest.indexOf(':') + 1)
}

/** Of Nodes and pods, and of most other objects. */
export const OBJECT_NAME = /^(?=.{1,253}$)[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/
