import type { KubeApi, KubeObject } from '../kube/kube-api.ts'

const NAMESPACE = 'shop'
const PODS = `/api/v1/namespaces/${NAMESPACE}/pods`
const BUDGETS = `/apis/policy/v1/namespaces/${NAMESPACE}/poddisruptionbudgets`
const LABELS = { app: 'cart' }
const REPLICAS = 4

/** Some pods behind a PodDisruptionBudget, and what stands in for their ReplicaSet and the scheduler: one that goes comes back elsewhere. */
export class Shop {
  readonly #api: KubeApi
  #nodes: readonly string[] = []
  #made = 0

  constructor(api: KubeApi) {
    this.#api = api
  }

  /** @param nodes where its pods may run */
  async open(nodes: readonly string[]): Promise<void> {
    this.#nodes = nodes
    await this.#api.create('/api/v1/namespaces', { metadata: { name: NAMESPACE } })
    for (let i = 0; i < REPLICAS; i++) await this.#addPod(nodes[i % nodes.length] ?? '')
    const spec = { minAvailable: REPLICAS, selector: { matchLabels: LABELS } }
    await this.#api.create(BUDGETS, { metadata: { name: 'cart' }, spec })
  }

  /** Lets one pod go at a time. */
  async relax(): Promise<void> {
    await this.#api.patch(`${BUDGETS}/cart`, { spec: { minAvailable: REPLICAS - 1 } })
  }

  /** A pod is to end: another one takes its place. */
  async replace(pod: { readonly metadata: { readonly namespace?: string | undefined } }): Promise<void> {
    if (pod.metadata.namespace === NAMESPACE) await this.#addPod(await this.#anyNode())
  }

  async #anyNode(): Promise<string> {
    for (const name of this.#nodes) {
      const { spec } = await this.#api.get<KubeObject>(`/api/v1/nodes/${name}`)
      if ((spec as { readonly unschedulable?: boolean }).unschedulable !== true) return name
    }
    return this.#nodes[0] ?? ''
  }

  async #addPod(nodeName: string): Promise<void> {
    const name = `cart-${this.#made++}`
    const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'cart', uid: 'cart', controller: true }]
    const spec = { nodeName, containers: [{ name: 'cart', image: 'cart:1' }] }
    await this.#api.create(PODS, { metadata: { name, labels: LABELS, ownerReferences }, spec })
    await this.#api.patch(`${PODS}/${name}/status`, {
      status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
    })
  }
}
