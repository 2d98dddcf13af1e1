// @ts-check

const PLAN_TEXTS = { none: 'Nothing is planned now.', unreadable: 'The plan cannot be read now; the page asks again.' }

/**
 * What the controller answers of a plan, or of the changes of a node: an answer that does not come does not mean that there is none.
 * @template View
 * @param {() => Promise<Response>} ask
 * @param {{ readonly none: string, readonly unreadable: string }} [texts]
 * @returns {Promise<{ readonly plan: View } | { readonly text: string, readonly isFinal: boolean }>}
 */
export async function planAnswer(ask, { none, unreadable } = PLAN_TEXTS) {
  try {
    const response = await ask()
    if (response.status === 200) return { plan: /** @type {View} */ (await response.json()) }
    if (response.status === 404) return { text: none, isFinal: true }
  } catch {
    // As any other answer that is none.
  }
  return { text: unreadable, isFinal: false }
}
