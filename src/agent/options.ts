import type { Pauses } from '../kube/backoff.ts'
import { DEFAULT_NAMESPACE, DEFAULT_PREFIX } from '../protocol/names.ts'
import { VERSION } from '../protocol/version.ts'
import { DEFAULT_ENVIRONMENT_FILE, DEFAULT_STATE_DIRECTORY } from './paths.ts'

export interface AgentOptions {
  /** Of the annotations on the Node. */
  readonly prefix: string
  /** Where ConfigMaps are looked for when the annotation names no namespace. */
  readonly namespace: string
  /** How the kubelet is installed, when no host document says so. */
  readonly layout: 'auto' | 'kubeadm' | 'env'
  /** Of the env layout. */
  readonly environmentFile: string
  readonly stateDirectory: string
  /** Of this machine, as releases name it: `amd64`, `arm64`. */
  readonly arch: string
  /** Of the agent itself, for the status. */
  readonly version: string
  readonly timing: Timing
}

/** Milliseconds. */
export interface Timing {
  /** Between two looks at a kubelet that was restarted. */
  readonly poll: number
  /** How long the same process must run before it counts as started. */
  readonly stable: number
  /** A kubelet that was not restarted asks its runtime every 5 s, and tells what it finds within 10 s. */
  readonly told: number
  /** A kubelet that is not healthy after this long is not going to be. */
  readonly healthy: number
  /** The same for a service that first fetches the version that it has to run. */
  readonly fetched: number
  /** How long a health that held before may be gone during the trial. */
  readonly unwell: number
  /** How long the Node may be not Ready during the trial: longer, since a network that starts again takes its time. */
  readonly unready: number
  /** An API server of which nothing is heard for this long after a change may have been cut off by it. */
  readonly lost: number
  /** The same where its machine refuses connections: it may be starting. */
  readonly down: number
  /** Health must hold this long before a configuration is last-known-good, unless the host document says another time. */
  readonly trial: number
  /** Between two looks during the trial, and for drift. */
  readonly watch: number
  readonly drift: number
  /** A machine that was asked to reboot and is still up after this long is not going to. */
  readonly reboot: number
  /** Between two looks for a kubeconfig beside one that works. */
  readonly otherKubeconfig: number
  /** Between two looks for the first one that can be used. */
  readonly usableKubeconfig: number
  /** Before something that may pass later is tried again. */
  readonly retry: Pauses
}

const SECOND = 1000
const MINUTE = 60 * SECOND

export const DEFAULT_TIMING: Timing = {
  poll: SECOND / 4,
  stable: 3 * SECOND,
  told: 16 * SECOND,
  healthy: MINUTE,
  fetched: 10 * MINUTE,
  unwell: 30 * SECOND,
  unready: 90 * SECOND,
  lost: MINUTE,
  down: 10 * MINUTE,
  trial: 10 * MINUTE,
  watch: 10 * SECOND,
  drift: 5 * MINUTE,
  reboot: 5 * MINUTE,
  otherKubeconfig: 30 * SECOND,
  usableKubeconfig: 2 * SECOND,
  retry: { first: SECOND, longest: MINUTE },
}

export const DEFAULT_OPTIONS: AgentOptions = {
  prefix: DEFAULT_PREFIX,
  namespace: DEFAULT_NAMESPACE,
  layout: 'auto',
  environmentFile: DEFAULT_ENVIRONMENT_FILE,
  stateDirectory: DEFAULT_STATE_DIRECTORY,
  arch: 'amd64',
  version: VERSION,
  timing: DEFAULT_TIMING,
}
