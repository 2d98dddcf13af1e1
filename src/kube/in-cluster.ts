import { join } from 'node:path'
import type { Connection } from './connection.ts'
import { credentialsFrom } from './credential-files.ts'
import { readFile } from './file-calls.ts'
import { KubeconfigError } from './kubeconfig.ts'

const ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount'

/**
 * The connection of a pod by its service account; the token's file rotates and is followed.
 * @returns undefined outside a cluster
 * @throws {KubeconfigError} when the pod has no service account
 */
export async function inCluster(
  env: Readonly<Record<string, string | undefined>>,
  folder = ACCOUNT,
): Promise<Connection | undefined> {
  const host = env.KUBERNETES_SERVICE_HOST
  const port = env.KUBERNETES_SERVICE_PORT
  if (!host || !port) return undefined
  const namespace = await readFile(join(folder, 'namespace'), 'utf8').catch((cause) => {
    const remedy = 'give the pod one (automountServiceAccountToken), or name a file with --kubeconfig'
    throw new KubeconfigError(`failed to read the pod's service account in "${folder}": ${cause.code}; ${remedy}`, { cause })
  })
  return {
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    namespace: namespace.trim(),
    credentials: credentialsFrom({ ca: { file: join(folder, 'ca.crt') }, token: { file: join(folder, 'token') } }),
  }
}
