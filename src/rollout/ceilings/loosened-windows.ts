import type { Window } from '../../calendar/window.ts'

/** In which windows something may begin that could not before: one that allows is new or longer, one that denies is gone or shorter. */
export function loosenedWindows(
  before: readonly Window[],
  after: readonly Window[],
): { readonly from: string; readonly to: string }[] {
  const allowed = { before: before.filter(isAllow), after: after.filter(isAllow) }
  const opened = allowed.after.filter((window) => !allowed.before.some((old) => covers(old, window)))
  const denied = after.filter((window) => !isAllow(window))
  const lifted = before.filter((old) => !isAllow(old) && !denied.some((window) => covers(window, old)))
  return [
    ...(allowed.before.length > 0 && allowed.after.length === 0 ? [{ from: 'allow', to: 'removed' }] : []),
    ...(allowed.before.length > 0 ? opened.map((window) => ({ from: 'closed', to: textOf(window) })) : []),
    ...lifted.map((window) => ({ from: textOf(window), to: 'removed' })),
  ]
}

function isAllow({ action }: Window): boolean {
  return action === 'allow'
}

function covers(one: Window, other: Window): boolean {
  if ('dates' in one || 'dates' in other) return JSON.stringify(one) === JSON.stringify(other)
  const isSameTime = one.schedule === other.schedule && one.timeZone === other.timeZone
  return isSameTime && one.duration >= other.duration
}

function textOf(window: Window): string {
  if ('dates' in window) return `${window.action} on ${window.dates.length} dates`
  return `${window.action} "${window.schedule}" for ${window.duration / 1000}s`
}
