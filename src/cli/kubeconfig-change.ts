import type { Clock } from '../agent/ports.ts'
import { readFile } from '../kube/file-calls.ts'
import { loadKubeconfig } from '../kube/kubeconfig.ts'

export interface KubeconfigWatch {
  readonly clock: Clock
  /** Ends the waiting. */
  readonly signal: AbortSignal
  /** Milliseconds between two looks. */
  readonly every: number
}

/**
 * Waits until a kubeconfig file says something else than `known`, and can be used: a node that joined another cluster, or whose API server
 * moved, has another one. Certificates and tokens that it names are followed by themselves.
 */
export async function kubeconfigChange(
  path: string,
  known: string | undefined,
  { clock, signal, every }: KubeconfigWatch,
): Promise<void> {
  while (!signal.aborted) {
    await clock.sleep(every, signal)
    if ((await textOf(path)) !== known && (await isUsable(path))) return
  }
}

export async function textOf(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(() => undefined)
}

/** One that is being written, or is gone for a while, replaces nothing. */
async function isUsable(path: string): Promise<boolean> {
  return loadKubeconfig(path).then(
    () => true,
    () => false,
  )
}
