import { type KubeApi, KubeError, type KubeObject } from '../../kube/kube-api.ts'
import { CONTROLLER_LEASE } from '../../protocol/names.ts'
import { printable } from '../printable.ts'

/** Why there is no pool yet, as the controller tells it. */
export interface FirstCommitTrouble {
  readonly reason: string
  readonly message: string
  /** When it was reported last. */
  readonly at: string
}

/** @returns undefined when there is no such event, or the events may not be read */
export async function firstCommitTrouble(kube: KubeApi): Promise<FirstCommitTrouble | undefined> {
  return lastTrouble(kube, 'Namespace')
}

/** Why the repository could not be read, while there are pools: an event is written again each hour, and stays for an hour after the last one. */
export async function repositoryTrouble(kube: KubeApi): Promise<FirstCommitTrouble | undefined> {
  return lastTrouble(kube, 'NodePool', (reason) => reason === 'RepositoryUnreachable')
}

async function lastTrouble(
  kube: KubeApi,
  kind: 'Namespace' | 'NodePool',
  counts: (reason: string) => boolean = () => true,
): Promise<FirstCommitTrouble | undefined> {
  const options = { project: troubleOf, fieldSelector: `involvedObject.kind=${kind}` }
  try {
    const { items } = await kube.list('/api/v1/namespaces/default/events', options)
    const found = items.flatMap((trouble) => (trouble && counts(trouble.reason) ? [trouble] : []))
    return found.reduce<FirstCommitTrouble | undefined>(later, undefined)
  } catch (error) {
    if (error instanceof KubeError && error.code === 403) return undefined
    throw error
  }
}

export function noPoolsLines(trouble: FirstCommitTrouble | undefined): string[] {
  if (!trouble) return ['There are no pools. Check that a controller runs and has accepted a commit.']
  const lines = trouble.message.split('\n').map((line) => `  ${printable(line)}`)
  return ['There are no pools, because no commit has been accepted yet.', '', `${trouble.reason}, at ${trouble.at}:`, ...lines]
}

function troubleOf({ source, reason, message, lastTimestamp }: KubeObject): FirstCommitTrouble | undefined {
  const isOurs = (source as { component?: unknown } | undefined)?.component === CONTROLLER_LEASE
  return isOurs ? { reason: printable(String(reason)), message: String(message), at: String(lastTimestamp) } : undefined
}

function later(a: FirstCommitTrouble | undefined, b: FirstCommitTrouble): FirstCommitTrouble {
  return a && a.at > b.at ? a : b
}
