import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import type { Connection } from './connection.ts'
import { access } from './file-calls.ts'
import { inCluster } from './in-cluster.ts'
import { contextsOf, KubeconfigError, type KubeconfigOptions, loadKubeconfig, NoKubeconfigError } from './kubeconfig.ts'
import { proveCredentials } from './prove-credentials.ts'

export interface FindOptions extends KubeconfigOptions {
  /** Given by `--kubeconfig`; then nothing else is looked at. */
  readonly kubeconfig?: string
  readonly env?: Readonly<Record<string, string | undefined>>
}

/**
 * The API server people mean: `--kubeconfig`, else `KUBECONFIG`, else the pod's service account, else `~/.kube/config`.
 * @throws {NoKubeconfigError} when there is none of these, {KubeconfigError} when its credentials cannot be used
 */
export async function findConnection({ kubeconfig, env = process.env, ...options }: FindOptions = {}): Promise<Connection> {
  const file = kubeconfig ?? (await namedByEnvironment(env.KUBECONFIG, options.context))
  if (file !== undefined) return ofFile(file, options)
  const pod = await inCluster(env)
  if (pod) return proveCredentials(pod, "the pod's service account")
  const own = join(env.HOME ?? homedir(), '.kube', 'config')
  if (await exists(own)) return ofFile(own, options)
  throw new NoKubeconfigError(
    `failed to find a kubeconfig: there is no "${own}", and this is not a pod; name one with --kubeconfig or KUBECONFIG`,
  )
}

async function ofFile(path: string, options: KubeconfigOptions): Promise<Connection> {
  return proveCredentials(await loadKubeconfig(path, options), `"${path}"`)
}

/** KUBECONFIG may list several files, of which some need not be there; the first counts that has the context. */
async function namedByEnvironment(listed: string | undefined, context: string | undefined): Promise<string | undefined> {
  const files = (listed ?? '').split(delimiter).filter((file) => file !== '')
  if (files.length <= 1) return files[0]
  const there = (await Promise.all(files.map(async (file) => ((await exists(file)) ? [file] : [])))).flat()
  const read = await Promise.all(there.map(async (file) => ({ file, ...(await contextsOf(file)) })))
  const wanted = context ?? read.find(({ current }) => current)?.current
  const found = read.find(({ names }) => wanted !== undefined && names.includes(wanted))
  if (found) return found.file
  const names = read.flatMap(({ names }) => names.map((name) => `"${name}"`)).join(', ') || 'none'
  throw new KubeconfigError(`choose a context with --context: the files of KUBECONFIG, "${listed}", have ${names}`)
}

function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  )
}
