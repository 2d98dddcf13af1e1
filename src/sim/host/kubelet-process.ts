import { lenientDocument } from '../../agent/kubelet/kubelet-document.ts'
import { healthzUrl } from '../../agent/kubelet/kubelet-flags.ts'
import type { KnownFlags, KubeletLaunch } from './kubelet-verdict.ts'
import { judgeLaunch, RUNTIME_ENDPOINT } from './kubelet-verdict.ts'

/** What becomes of a kubelet that was started: known at once, and shown as time passes. */
export type ProcessOutcome =
  | {
      readonly kind: 'runs'
      readonly version: string
      readonly healthyAfter: number
      readonly isElsewhere?: boolean
      readonly healthz: string | undefined
    }
  | { readonly kind: 'dies'; readonly after: number; readonly exit: number; readonly message: string }

export interface Durations {
  /** Milliseconds from start to healthz. */
  readonly healthy: number
  /** Milliseconds from start to the exit of one that cannot run. */
  readonly dying: number
}

/** Pure: flags and configuration first, and the container runtime after that, which no preflight sees. */
export function outcomeOf(
  readLaunch: () => KubeletLaunch,
  options: {
    readonly durations: Durations
    readonly knownFlags: KnownFlags | undefined
    /** Why a kubelet dies that is started like this, for reasons that nobody could have seen. */
    readonly crashReason: ((launch: KubeletLaunch) => string | undefined) | undefined
  },
): ProcessOutcome {
  const { durations, knownFlags, crashReason } = options
  const dies = (exit: number, message: string): ProcessOutcome => ({ kind: 'dies', after: durations.dying, exit, message })
  let launch: KubeletLaunch
  try {
    launch = readLaunch()
  } catch (error) {
    return dies(203, (error as Error).message)
  }
  const verdict = judgeLaunch(launch, knownFlags)
  if (!verdict.ok) return dies(verdict.exit, verdict.exit === 2 ? verdict.message : commandFailed(verdict.message))
  if (verdict.runtimeEndpoint !== RUNTIME_ENDPOINT)
    return dies(
      1,
      commandFailed(
        `failed to run Kubelet: validate service connection: validate CRI v1 runtime API for endpoint "${verdict.runtimeEndpoint}"`,
      ),
    )
  const reason = crashReason?.(launch)
  if (reason !== undefined) return dies(2, reason)
  // Under another name it registers, or fails to, somewhere else: its own Node hears nothing of it.
  const isElsewhere = launch.args.some((arg) => arg.startsWith('--hostname-override='))
  return { kind: 'runs', version: launch.version, healthyAfter: durations.healthy, isElsewhere, healthz: healthzOf(launch) }
}

/** Where it listens: the last file that names the port wins, and a flag wins over all. */
function healthzOf({ args, config, dropIns = [] }: KubeletLaunch): string | undefined {
  const documents = [config ?? '', ...dropIns].map((text) => lenientDocument(Buffer.from(text)))
  return healthzUrl(Object.assign({}, ...documents), args)
}

function commandFailed(message: string): string {
  return `E0101 00:00:00.000000 1 run.go:72] "command failed" err="${message.replace(/["\\]/g, '\\$&')}"`
}
