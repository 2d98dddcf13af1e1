import type { KubeApi } from '../../kube/kube-api.ts'
import type { Need } from './needed-rights.ts'

const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'

interface Review {
  readonly status?: { readonly allowed?: boolean }
}

/** @returns of these needs, the verbs that the caller is refused; the server evaluates, and nothing is done */
export async function readMissingRights(kube: KubeApi, needs: readonly Need[]): Promise<readonly Need[]> {
  const asked = await Promise.all(needs.map(async (need) => ({ ...need, verbs: await refusedVerbs(kube, need) })))
  return asked.filter(({ verbs }) => verbs.length > 0)
}

async function refusedVerbs(kube: KubeApi, need: Need): Promise<readonly string[]> {
  const answers = await Promise.all(need.verbs.map((verb) => mayI(kube, need, verb)))
  return need.verbs.filter((_, index) => !answers[index])
}

async function mayI(kube: KubeApi, { group = '', resource: path, name, namespace }: Need, verb: string): Promise<boolean> {
  const [resource, subresource] = path.split('/')
  const resourceAttributes = { group, resource, subresource, name, namespace, verb }
  const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec: { resourceAttributes } }
  const { status } = await kube.create<Review>(REVIEWS, review)
  return status?.allowed === true
}
