import { type KubeApi, KubeError } from '../../kube/kube-api.ts'
import type { RequestedBy } from '../../protocol/requested-by.ts'

/** Characters of a name: it goes into an annotation, and the status of pools. */
const LONGEST = 200

/**
 * Who asks: as they say, or as the API server knows them.
 * @throws {Error} when the server does not tell
 */
export async function signatureOf(
  kube: KubeApi,
  { asName, now }: { readonly asName?: string | undefined; readonly now: number },
): Promise<RequestedBy> {
  const name = (asName ?? (await userName(kube))).replace(/[\p{Cc}\p{Cf}]/gu, ' ').trim()
  if (name === '') throw new Error('cannot sign the request: the name is empty; name yourself with --as-name NAME')
  return { who: name.slice(0, LONGEST), at: new Date(now).toISOString() }
}

async function userName(kube: KubeApi): Promise<string> {
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }
  try {
    const { status } = await kube.create<Review>('/apis/authentication.k8s.io/v1/selfsubjectreviews', review)
    return status?.userInfo?.username ?? ''
  } catch (cause) {
    if (!(cause instanceof KubeError) || cause.reaction === 'retry') throw cause
    throw new Error(`failed to read your user name from the API server: ${cause.message}; name yourself with --as-name NAME`, {
      cause,
    })
  }
}

interface Review {
  readonly status?: { readonly userInfo?: { readonly username?: string } }
}
