// @ts-check

/** @import { PlanView } from '../plan-view.ts' */

const UNREADABLE = 'The plan cannot be read now; the page asks again.'

/**
 * What the controller answers of a plan: an answer that does not come does not mean that there is none.
 * @param {() => Promise<Response>} ask
 * @returns {Promise<{ readonly plan: PlanView } | { readonly text: string, readonly isFinal: boolean }>}
 */
export async function planAnswer(ask) {
  try {
    const response = await ask()
    if (response.ok) return { plan: /** @type {PlanView} */ (await response.json()) }
    if (response.status === 404) return { text: 'Nothing is planned now.', isFinal: true }
  } catch {
    // As any other answer that is none.
  }
  return { text: UNREADABLE, isFinal: false }
}
