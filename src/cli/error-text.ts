import { KubeError } from '../kube/kube-api.ts'

/** What the system's codes say of a path that a person gave, and what to do about it. */
const WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or folder; check the path',
  ENOTDIR: 'it is a file, or a part of the path is one; name a folder',
  EISDIR: 'it is a folder; name a file',
  EACCES: 'you may not read it; check its owner and mode',
  EPERM: 'you may not do this; check the owner and mode of the path',
  ELOOP: 'its symbolic links form a loop',
  ENAMETOOLONG: 'the path is too long',
}

/** What to do when an API server was asked in vain, by the status of its answer. */
export const KUBE_REMEDIES: Readonly<Record<number, string>> = {
  0: 'check that the API server runs, and that the kubeconfig names the right one; choose another with --kubeconfig and --context',
  401: 'it rejects your credentials: check the kubeconfig',
  403: 'the ClusterRole nodewave-operator (deploy/operator-rbac.yaml) has the rights that these commands need',
}

/** What an API server was asked for in vain, and what to do. */
export function withRemedy(message: string, code: number): string {
  const remedy = KUBE_REMEDIES[code]
  return remedy === undefined ? message : `${message}; ${remedy}`
}

/** How deep a cause may lie. */
const DEEPEST = 8

/** The message for a person: what was wanted, of what file, what is wrong with it, and what to do. */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof KubeError) return withRemedy(error.message, error.code)
  const found = systemErrorIn(error)
  const words = WORDS[found?.code ?? '']
  if (!found || words === undefined) return error.message
  const wanted = found === error ? `${found.syscall ?? 'use'} "${found.path ?? ''}": ${found.code}` : error.message
  return `${wanted}: ${words}`
}

function systemErrorIn(error: Error): NodeJS.ErrnoException | undefined {
  let at: unknown = error
  for (let depth = 0; depth < DEEPEST && at instanceof Error; depth++, at = at.cause)
    if ('syscall' in at && 'code' in at && typeof at.code === 'string') return at as NodeJS.ErrnoException
  return undefined
}
