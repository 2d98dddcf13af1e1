import { dirname, resolve } from 'node:path'
import type { KubeConfig } from '@kubernetes/client-node'
import type { CredentialSource, Credentials } from './connection.ts'
import { readFile } from './file-calls.ts'
import { KubeError } from './kube-api.ts'

/**
 * Credentials of a user whose kubeconfig names an exec plugin or another provider, got by the official client. It is
 * loaded only when such a user is met: it costs eighty megabytes. For `loadKubeconfig`'s `plugin`.
 */
export function execAuth({ path, context }: { readonly path: string; readonly context: string }): CredentialSource {
  let config: Promise<KubeConfig> | undefined
  return async (options) => {
    // The client answers from its memory until the credentials expire; refused ones need a client that has forgotten them.
    if (options?.refused) config = undefined
    config ??= loadConfig(path, context)
    try {
      return await ask(await config)
    } catch (cause) {
      config = undefined
      const why = cause instanceof Error ? cause.message.trim() : String(cause)
      throw new KubeError(`failed to get credentials of context "${context}" in "${path}": ${why}`, {
        code: 0,
        reason: 'CredentialsUnreadable',
        cause,
      })
    }
  }
}

async function loadConfig(path: string, context: string): Promise<KubeConfig> {
  const { KubeConfig } = await import('@kubernetes/client-node')
  const config = new KubeConfig()
  config.loadFromFile(path)
  config.setCurrentContext(context)
  const exec = config.getCurrentUser()?.exec
  // As in kubectl: a command with a slash is relative to the file that names it.
  if (exec?.command?.includes('/')) exec.command = resolve(dirname(path), exec.command)
  return config
}

async function ask(config: KubeConfig): Promise<Credentials> {
  const cluster = config.getCurrentCluster()
  const options: { headers?: Record<string, string>; cert?: string | Buffer; key?: string | Buffer } = {}
  await config.applyToHTTPSOptions(options)
  const token = options.headers?.Authorization?.replace(/^Bearer /, '')
  const ca = cluster?.caData
    ? Buffer.from(cluster.caData, 'base64').toString('utf8')
    : cluster?.caFile && (await readFile(cluster.caFile, 'utf8'))
  return {
    ...(ca && { ca }),
    ...(options.cert && { cert: options.cert.toString() }),
    ...(options.key && { key: options.key.toString() }),
    ...(token && { token }),
  }
}
