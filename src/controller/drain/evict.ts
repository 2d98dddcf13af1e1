import type { KubeApi } from '../../kube/kube-api.ts'
import { KubeError } from '../../kube/kube-api.ts'
import type { Action } from '../../rollout/model/decision.ts'
import type { Clock } from '../clock/clock.ts'
import type { EvictionAnswers } from './eviction-answers.ts'

export interface Evictor {
  readonly kube: KubeApi
  readonly clock: Clock
  readonly answers: Pick<EvictionAnswers, 'taken' | 'refused'>
}

/** Milliseconds after which a refused eviction is asked for again, unless the server names a longer time. */
const ASK_AGAIN = 5_000
/** A webhook may name days, in which nobody would see what it would say by now. */
const LONGEST_WAIT = 300_000

/**
 * Asks for one eviction. A refusal is an answer, and kept for the next decision.
 * @throws {KubeError} when the server is away; what it did of it will show.
 */
export async function evict({ kube, clock, answers }: Evictor, action: Extract<Action, { kind: 'evict' }>): Promise<void> {
  const { namespace, name, uid } = action.pod
  try {
    await kube.create(`/api/v1/namespaces/${namespace}/pods/${name}/eviction`, evictionOf(action))
    answers.taken(uid)
  } catch (error) {
    if (!(error instanceof KubeError) || isAway(error)) throw error
    if (error.code === 404) answers.taken(uid)
    else answers.refused(uid, { message: error.message, until: clock.now() + waitAfter(error) })
  }
}

function waitAfter({ retryAfter = 0 }: KubeError): number {
  return Math.min(Math.max(ASK_AGAIN, retryAfter * 1000), LONGEST_WAIT)
}

/** 429 is a budget that is spent, 500 a pod that several budgets cover: both say something about this pod alone. */
function isAway({ code, reaction }: KubeError): boolean {
  return reaction === 'retry' && code !== 429 && code !== 500
}

/** With the UID, a pod that has taken the name of the one meant is refused (409) instead of ended. */
function evictionOf({ pod: { namespace, name, uid }, gracePeriodSeconds }: Extract<Action, { kind: 'evict' }>): object {
  return {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { namespace, name },
    deleteOptions: { preconditions: { uid }, ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }) },
  }
}
