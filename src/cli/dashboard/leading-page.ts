import { type KubeApi, KubeError, type KubeObject } from '../../kube/kube-api.ts'
import type { PodPort } from '../../kube/pod-port.ts'
import { readLeader } from '../check/cluster-facts.ts'
import { KUBE_REMEDIES } from '../error-text.ts'

/** Where the controller that leads serves its page. @throws {Error} with what to do, when none does */
export async function leadingPage(kube: KubeApi, namespace: string): Promise<PodPort> {
  const leader = await readLeader(kube, namespace)
  if ('error' in leader) throw new Error(`failed to read which controller leads: ${leader.error}${remedyFor(leader.code)}`)
  if (!leader.value?.holder) throw new Error('no controller leads; find out why with: nodewave check')
  const pod = podOf(leader.value.holder)
  const port = portOf(await readPod(kube, { namespace, pod }))
  if (port === undefined)
    throw new Error(`the controller "${pod}" serves no page: add --dashboard-port=8081 to its options; see docs/dashboard.md`)
  return { namespace, pod, port }
}

/** The holder of the Lease is named after its host, which is the pod. */
function podOf(holder: string): string {
  return holder.replace(/_[^_]*$/, '')
}

async function readPod(kube: KubeApi, { namespace, pod }: Omit<PodPort, 'port'>): Promise<KubeObject> {
  try {
    return await kube.get<KubeObject>(`/api/v1/namespaces/${namespace}/pods/${encodeURIComponent(pod)}`)
  } catch (cause) {
    if (!(cause instanceof KubeError)) throw cause
    if (cause.code === 404)
      throw new Error(
        `the controller that leads, "${pod}", is no pod in namespace "${namespace}"; with --dashboard-port it serves its page on its own machine`,
        { cause },
      )
    throw new Error(`failed to read pod "${pod}": ${cause.message}${remedyFor(cause.code)}`, { cause })
  }
}

function remedyFor(code: number): string {
  const remedy =
    code === 403 ? 'the Role nodewave-operator (deploy/operator-rbac.yaml) has the rights that this needs' : KUBE_REMEDIES[code]
  return remedy === undefined ? '' : `; ${remedy}`
}

interface PodSpec {
  readonly containers?: readonly { readonly args?: readonly string[] }[]
}

function portOf({ spec }: KubeObject): number | undefined {
  const args = ((spec ?? {}) as PodSpec).containers?.flatMap((container) => container.args ?? []) ?? []
  const [, port] = /--dashboard-port[= ](\d+)/.exec(args.join(' ')) ?? []
  return port === undefined ? undefined : Number(port)
}
