import { type KubeApi, KubeError } from '../../kube/kube-api.ts'
import type { Clock } from '../ports.ts'
import { certificateRequest, requestName } from './certificate-request.ts'

const REQUESTS = '/apis/certificates.k8s.io/v1/certificatesigningrequests'
const POLL = 2000

interface SigningRequest {
  readonly status?: {
    readonly certificate?: string
    readonly conditions?: readonly { readonly type: string; readonly message?: string }[]
  }
}

/** Nobody is going to sign this request: the next one needs another key. */
export class RequestDenied extends Error {
  override readonly name = 'RequestDenied'
}

/**
 * Asks for the client certificate of a node's kubelet, and waits until somebody has approved and signed it.
 * @param key of the certificate, PEM @returns the certificate, PEM
 * @throws {RequestDenied}
 */
export async function obtainCertificate(
  { node, key }: { readonly node: string; readonly key: string },
  { kube, clock, signal }: { readonly kube: KubeApi; readonly clock: Clock; readonly signal: AbortSignal },
): Promise<string> {
  const name = requestName(key)
  await unless('AlreadyExists', kube.create(REQUESTS, requestFor({ node, key, name }), { signal }))
  for (;;) {
    const { status = {} } = await kube.get<SigningRequest>(`${REQUESTS}/${name}`, { signal })
    if (status.certificate) return Buffer.from(status.certificate, 'base64').toString()
    const refused = status.conditions?.find(({ type }) => type === 'Denied' || type === 'Failed')
    if (refused) throw new RequestDenied(`certificate request "${name}" is ${refused.type}: ${refused.message || 'no reason'}`)
    await clock.sleep(POLL, signal)
    signal.throwIfAborted()
  }
}

function requestFor({ node, key, name }: { readonly node: string; readonly key: string; readonly name: string }) {
  return {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name },
    spec: {
      request: Buffer.from(certificateRequest(key, node)).toString('base64'),
      signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
      usages: ['digital signature', 'client auth'],
    },
  }
}

/** @returns undefined when that is what the server says */
export async function unless<T>(reason: string, work: Promise<T>): Promise<T | undefined> {
  return work.catch((error: unknown) => {
    if (error instanceof KubeError && error.reason === reason) return undefined
    throw error
  })
}
