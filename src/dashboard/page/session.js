// @ts-check

/**
 * Who acts by this page, and where. Only `nodewave dashboard` has sessions: the page of a controller does not know who looks at it.
 * @typedef {{ readonly key: string, readonly user: string, readonly cluster: string }} Session
 */

/** @type {Session | undefined} */
let session

/** Of this tab, so that it survives a reload of the page. */
const KEPT = 'nodewave-key'

/** Milliseconds until the command is asked again that did not answer. */
const ASK_AGAIN = 1_000
/** The command does not know the key, or lets nobody act. */
const REFUSED = [403, 404]

/** The key is in the fragment of the address, which no browser sends to a server; it does not stay in the address bar. */
export async function openSession() {
  const given = new URLSearchParams(location.hash.slice(1)).get('key')
  if (given !== null) {
    sessionStorage.setItem(KEPT, given)
    history.replaceState(null, '', location.pathname)
  }
  const key = sessionStorage.getItem(KEPT)
  if (key === null) return undefined
  session = await sessionOf(key)
  if (session === undefined) sessionStorage.removeItem(KEPT)
  return session
}

/**
 * @param {string} key
 * @returns {Promise<Session | undefined>} what the command says, however often it has to be asked; nothing when it refuses
 */
async function sessionOf(key) {
  for (;;) {
    const answer = await ask(key).catch(() => undefined)
    if (answer !== undefined) return answer.session
    await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN))
  }
}

/**
 * @param {string} key
 * @returns {Promise<{ readonly session: Session | undefined } | undefined>} nothing when that was no answer
 */
async function ask(key) {
  const response = await fetch('session', { headers: { 'x-nodewave-key': key } })
  if (response.ok) return { session: { key, ...(await response.json()) } }
  return REFUSED.includes(response.status) ? { session: undefined } : undefined
}

/** @returns {boolean} whether the page may act */
export function canAct() {
  return session !== undefined
}

/**
 * @param {{ readonly words: readonly string[], readonly reason: string }} action
 * @returns {Promise<{ readonly isDone: boolean, readonly text: string }>}
 */
export async function act(action) {
  try {
    const response = await fetch('actions', {
      method: 'POST',
      headers: { 'x-nodewave-key': session?.key ?? '', 'content-type': 'application/json' },
      body: JSON.stringify(action),
    })
    return response.ok ? await response.json() : { isDone: false, text: `error: ${await response.text()}` }
  } catch {
    return { isDone: false, text: 'error: the command "nodewave dashboard" does not answer; does it still run?' }
  }
}
