import type { KubeApi, KubeObject } from '../../kube/kube-api.ts'
import { PROOF_NAMESPACE } from '../../protocol/names.ts'

/** What becomes of the pod. Words: it never runs, and this is what the kubelet complains of. */
export type ProofOutcome = 'runs' | { readonly complaint: string }

export interface ProofKubeletsOptions {
  readonly kube: KubeApi
  readonly now: () => number
  /** Resolves when a pod that is there has had the time that it needs to start; absent: at once. */
  readonly started?: (signal: AbortSignal) => Promise<void>
  /** Default: everything runs. */
  readonly outcomeOn?: (node: string) => ProofOutcome
  readonly signal: AbortSignal
}

const PODS = `/api/v1/namespaces/${PROOF_NAMESPACE}/pods`
const EVENTS = `/api/v1/namespaces/${PROOF_NAMESPACE}/events`

/** The kubelets of a fleet without hosts, as far as the pods go that prove nodes: each runs, or is complained of. */
export async function runProofKubelets(options: ProofKubeletsOptions): Promise<void> {
  const { kube, signal } = options
  const seen = new Set<string>()
  for await (const event of kube.follow(PODS, { project: (object) => object, signal })) {
    const pods = event.type === 'sync' ? event.items : event.type === 'upsert' ? [event.item] : []
    for (const pod of pods) {
      const { uid = '' } = pod.metadata
      if (seen.has(uid)) continue
      seen.add(uid)
      // A pod that was removed meanwhile needs no answer.
      void answer(options, pod).catch(() => undefined)
    }
  }
}

async function answer(
  { kube, now, started, outcomeOn = () => 'runs', signal }: ProofKubeletsOptions,
  pod: KubeObject,
): Promise<void> {
  const { nodeName = '' } = (pod.spec ?? {}) as { readonly nodeName?: string }
  const outcome = outcomeOn(nodeName)
  await started?.(signal)
  if (signal.aborted) return
  if (outcome === 'runs') return runs(kube, pod)
  const { name, namespace, uid } = pod.metadata
  const at = new Date(now()).toISOString().replace(/\.\d+Z$/, 'Z')
  await kube.create(EVENTS, {
    metadata: { name: `${name}.1`, namespace },
    involvedObject: { kind: 'Pod', namespace, name, uid },
    type: 'Warning',
    ...{ reason: 'FailedCreatePodSandBox', message: outcome.complaint, firstTimestamp: at, lastTimestamp: at },
  })
}

/** A pause container runs on; every other one has done its work. */
async function runs(kube: KubeApi, { metadata: { name }, spec }: KubeObject): Promise<void> {
  const [container] =
    (spec as { readonly containers?: readonly { image: string; command?: readonly string[] }[] }).containers ?? []
  const runsOn = container?.command === undefined && container?.image.includes('pause') === true
  const state = runsOn ? { running: {} } : { terminated: { exitCode: 0, reason: 'Completed' } }
  const containerStatuses = [{ name: 'proof', ready: runsOn, state }]
  await kube.patch(`${PODS}/${name}/status`, { status: { phase: runsOn ? 'Running' : 'Succeeded', containerStatuses } })
}
