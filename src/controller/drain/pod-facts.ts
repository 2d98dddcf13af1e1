import type { KubeObject } from '../../kube/kube-api.ts'
import { type LabelSelector, selects } from '../../protocol/node-selector.ts'
import type { PodBudget, PodView } from '../../rollout/model/node-view.ts'

/** What is kept of a pod on a node under drain; `name` is `namespace/name`. */
export interface PodFacts {
  readonly name: string
  readonly namespace: string
  readonly resourceVersion: string
  readonly labels: Readonly<Record<string, string>>
  readonly view: PodView
}

export interface BudgetFacts {
  readonly name: string
  readonly namespace: string
  readonly resourceVersion: string
  readonly selector: LabelSelector | undefined
  readonly disruptionsAllowed: number
  readonly view: PodBudget
}

/** What the kubelet puts on the mirror of a static pod. */
const MIRROR = 'kubernetes.io/config.mirror'

export function projectPod({ metadata, ...object }: KubeObject): PodFacts {
  const { volumes = [] } = (object.spec ?? {}) as { readonly volumes?: readonly object[] }
  const { phase } = (object.status ?? {}) as { readonly phase?: string }
  const owners = (metadata.ownerReferences ?? []) as readonly { readonly kind: string; readonly controller?: boolean }[]
  const owner = owners.find(({ controller }) => controller === true)
  const namespace = metadata.namespace ?? ''
  return {
    name: `${namespace}/${metadata.name}`,
    namespace,
    resourceVersion: metadata.resourceVersion ?? '',
    labels: metadata.labels ?? {},
    view: {
      namespace,
      name: metadata.name,
      uid: metadata.uid ?? '',
      ...(owner && { controller: owner.kind }),
      mirror: metadata.annotations?.[MIRROR] !== undefined,
      emptyDir: volumes.some((volume) => 'emptyDir' in volume),
      finished: phase === 'Succeeded' || phase === 'Failed',
      terminating: metadata.deletionTimestamp !== undefined,
    },
  }
}

export function projectBudget({ metadata, ...object }: KubeObject): BudgetFacts {
  const { selector } = (object.spec ?? {}) as { readonly selector?: LabelSelector }
  const {
    disruptionsAllowed = 0,
    desiredHealthy = 0,
    currentHealthy = 0,
  } = (object.status ?? {}) as Partial<Record<'disruptionsAllowed' | 'desiredHealthy' | 'currentHealthy', number>>
  return {
    name: `${metadata.namespace}/${metadata.name}`,
    namespace: metadata.namespace ?? '',
    resourceVersion: metadata.resourceVersion ?? '',
    selector,
    disruptionsAllowed,
    view: { name: metadata.name, desiredHealthy, currentHealthy },
  }
}

export function covers({ namespace, selector }: BudgetFacts, pod: PodFacts): boolean {
  return namespace === pod.namespace && selects(selector, pod.labels)
}
