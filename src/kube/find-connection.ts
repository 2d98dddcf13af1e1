import { access } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Connection } from './connection.ts'
import { inCluster } from './in-cluster.ts'
import { KubeconfigError, type KubeconfigOptions, loadKubeconfig } from './kubeconfig.ts'

export interface FindOptions extends KubeconfigOptions {
  /** Given by `--kubeconfig`; then nothing else is looked at. */
  readonly kubeconfig?: string
  readonly env?: Readonly<Record<string, string | undefined>>
}

/**
 * The API server people mean: `--kubeconfig`, else `KUBECONFIG`, else the pod's service account, else `~/.kube/config`.
 * @throws {KubeconfigError} when there is none of these
 */
export async function findConnection({ kubeconfig, env = process.env, ...options }: FindOptions = {}): Promise<Connection> {
  const named = kubeconfig ?? env.KUBECONFIG
  if (named) return loadKubeconfig(named, options)
  const pod = await inCluster(env)
  if (pod) return pod
  const own = join(env.HOME ?? homedir(), '.kube', 'config')
  const exists = await access(own).then(
    () => true,
    () => false,
  )
  if (exists) return loadKubeconfig(own, options)
  throw new KubeconfigError(`name an API server by --kubeconfig or KUBECONFIG: there is no "${own}", and this is not a pod`)
}
