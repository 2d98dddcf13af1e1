import { nodePoolsPath } from '../../controller/cache/node-pool-view.ts'
import { configMapsPath } from '../../controller/cache/stored-config-map.ts'
import { type KubeApi, KubeError } from '../../kube/kube-api.ts'
import { askedByKey, type FLEET_CONFIG_MAP } from '../../protocol/names.ts'
import { formatRequestedBy, type RequestedBy } from '../../protocol/requested-by.ts'

/** What is steered. */
export type Steered =
  | { readonly kind: 'NodePool'; readonly name: string }
  | { readonly kind: 'Node'; readonly name: string }
  | { readonly kind: 'ConfigMap'; readonly name: typeof FLEET_CONFIG_MAP; readonly namespace: string }

/** One control annotation, written or taken away. */
export interface ControlWrite {
  readonly on: Steered
  readonly annotation: string
  /** null: taken away. */
  readonly value: string | null
}

/**
 * What is written of one object, in one request with its signatures: a part alone would mean something else. An object that is refused
 * keeps no other from being written.
 * @throws {Error} naming the first object that could not be written, how many were, and the right that is missing
 */
export async function writeControls(kube: KubeApi, writes: readonly ControlWrite[], by: RequestedBy): Promise<void> {
  const objects = [...Map.groupBy(writes, ({ on }) => pathOf(on)).values()]
  const failures: unknown[] = []
  let written = 0
  for (const [first, ...more] of objects) {
    if (first === undefined) continue
    const failure = await failureOf(annotate(kube, first.on, annotationsOf([first, ...more], by)))
    if (failure === undefined) written += 1
    else failures.push(failure)
    if (failure instanceof Error && failure.cause instanceof KubeError && failure.cause.isAway) break
  }
  const [failure] = failures
  if (failure === undefined) return
  if (objects.length === 1 || !(failure instanceof Error)) throw failure
  throw new Error(`${failure.message}; written: ${written} of ${objects.length} objects`, { cause: failure })
}

async function failureOf(work: Promise<void>): Promise<unknown> {
  try {
    await work
    return undefined
  } catch (error) {
    return error
  }
}

function annotationsOf(writes: readonly ControlWrite[], by: RequestedBy): Record<string, string | null> {
  return Object.fromEntries(
    writes.flatMap(({ annotation, value }) => [
      [annotation, value],
      [askedByKey(annotation), formatRequestedBy(by)],
    ]),
  )
}

async function annotate(kube: KubeApi, on: Steered, annotations: Record<string, string | null>): Promise<void> {
  try {
    await kube.patch(pathOf(on), { metadata: { annotations } })
  } catch (error) {
    throw explained(error, on)
  }
}

function pathOf(on: Steered): string {
  if (on.kind === 'NodePool') return nodePoolsPath(on.name)
  return on.kind === 'Node' ? `/api/v1/nodes/${encodeURIComponent(on.name)}` : configMapsPath(on.namespace, on.name)
}

function explained(cause: unknown, on: Steered): unknown {
  if (!(cause instanceof KubeError)) return cause
  return new Error(`annotate ${on.kind} "${on.name}": ${cause.message}${remedyFor(cause, on)}`, { cause })
}

/** The ConfigMap is not made here: no controller looks at one in another namespace than its own, and nothing would be paused. */
function remedyFor({ code }: KubeError, on: Steered): string {
  if (code === 403) return '; the ClusterRole nodewave-operator (deploy/operator-rbac.yaml) has the rights that this needs'
  if (code !== 404 || on.kind !== 'ConfigMap') return ''
  const { name, namespace } = on
  return `; name the namespace of the controller with --namespace; if it is this one, create it: kubectl -n ${namespace} create configmap ${name}`
}
