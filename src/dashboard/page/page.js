// @ts-check
import { prepareActions } from './action.js'
import { byId, element, showOnly } from './dom.js'
import { withChanges } from './fleet.js'
import { prepareChanges } from './node-changes.js'
import { PoolCard } from './pool-card.js'
import { openSession } from './session.js'
import { COLOURS } from './squares.js'

/** @import { FleetView } from '../fleet-view.ts' */

/** @type {Map<string, PoolCard>} */
const cards = new Map()
/** @type {FleetView} */
let fleet = { pools: [] }
let drawing = false
/** Pixels of a pool's card around its squares. */
const AROUND = 42
/** Milliseconds: the timeline moves though nothing happens. */
const A_MINUTE = 60_000

function draw() {
  drawing = false
  const shown = byId('pools')
  // Asked before anything changes: afterwards the browser would have to lay the page out for the answer.
  const look = {
    found: /** @type {HTMLInputElement} */ (byId('find')).value.trim(),
    width: shown.clientWidth - AROUND,
    now: Date.now(),
  }
  for (const { name } of fleet.pools) if (!cards.has(name)) cards.set(name, new PoolCard())
  for (const name of cards.keys()) if (!fleet.pools.some((pool) => pool.name === name)) cards.delete(name)
  showOnly(
    shown,
    fleet.pools.flatMap(({ name }) => cards.get(name)?.root ?? []),
  )
  for (const pool of fleet.pools) cards.get(pool.name)?.draw(pool, look)
  const notReady = fleet.pools.filter(({ ready }) => ready !== 'True').length
  const nodes = fleet.pools.reduce((sum, { total }) => sum + total, 0)
  byId('summary').textContent =
    `${number(nodes, 'node')} in ${number(fleet.pools.length, 'pool')}; ${notReady === 0 ? 'all Ready' : `${notReady} not Ready`}`
}

/**
 * @param {number} count
 * @param {string} noun
 */
function number(count, noun) {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** However many changes come, the page is drawn once a frame. */
function drawSoon() {
  if (drawing) return
  drawing = true
  requestAnimationFrame(draw)
}

for (const [phase, colour] of COLOURS) {
  const item = element('li', { text: phase })
  item.style.setProperty('--phase', colour)
  byId('legend').append(item)
}
byId('find').addEventListener('input', drawSoon)
setInterval(drawSoon, A_MINUTE)
new ResizeObserver(drawSoon).observe(byId('pools'))

/** Milliseconds: another controller leads by then, and `nodewave dashboard` finds it. */
const ASK_AGAIN = 5_000

function follow() {
  const events = new EventSource('events')
  events.addEventListener('fleet', ({ data }) => {
    fleet = JSON.parse(data)
    drawSoon()
  })
  events.addEventListener('changes', ({ data }) => {
    fleet = withChanges(fleet, JSON.parse(data))
    drawSoon()
  })
  const askAgain = (/** @type {string} */ why) => {
    byId('summary').textContent = why
    events.close()
    setTimeout(follow, ASK_AGAIN)
  }
  events.addEventListener('standby', () => askAgain('this controller stands by: look at the one that leads'))
  events.addEventListener('unreachable', ({ data }) => askAgain(`${JSON.parse(data)}; trying again`))
  events.addEventListener('error', () => {
    const lost = 'the connection is lost; trying again'
    if (events.readyState === EventSource.CLOSED) askAgain(lost)
    else byId('summary').textContent = lost
  })
}

prepareChanges()
follow()
const session = await openSession()
if (session) {
  byId('session').textContent = `You act as ${session.user} on ${session.cluster}`
  prepareActions()
}
