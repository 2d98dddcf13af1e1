import { foreignText } from './foreign-text.ts'

/** Names the boot of a machine that has to end. What was asked once and failed is asked again with another instant. */
export interface RebootOrder {
  /** As the Node shows it in status.nodeInfo.bootID. */
  readonly boot: string
  /** RFC 3339; when an operator asked for it. */
  readonly at?: string
}

/** What an operator asks for on a Node. */
export interface RebootRequest extends RebootOrder {
  readonly reason: string
}

/** `0b2e7a1c-77d4-4b0e-9a53-6a1f0f6f3a55`, with `@` and an instant where an operator asked. */
export const REBOOT_PATTERN = /^([0-9a-zA-Z][-0-9a-zA-Z]{0,63})(?:@(\d{4}-\d\d-\d\dT[-+:.0-9TZ]{1,40}))?$/
const MAX_REQUEST = 1000
const MAX_REASON = 500

export function formatRebootOrder({ boot, at }: RebootOrder): string {
  return at === undefined ? boot : `${boot}@${at}`
}

/** @returns undefined for what is none. */
export function parseRebootOrder(text: string | undefined): RebootOrder | undefined {
  const [, boot, at] = REBOOT_PATTERN.exec(text ?? '') ?? []
  return boot === undefined ? undefined : { boot, ...(at !== undefined && { at }) }
}

export function formatRebootRequest({ reason, ...order }: RebootRequest): string {
  return `${formatRebootOrder(order)} ${reason}`.trimEnd()
}

/** The order, and the reason after a space. @returns undefined for what is none. */
export function parseRebootRequest(annotation: string | undefined): RebootRequest | undefined {
  if (annotation === undefined || annotation.length > MAX_REQUEST) return undefined
  const [word = '', ...reason] = annotation.trim().split(' ')
  const order = parseRebootOrder(word)
  return order && { ...order, reason: foreignText(reason.join(' '), MAX_REASON) }
}

export function isSameOrder(a: RebootOrder, b: RebootOrder | undefined): boolean {
  return a.boot === b?.boot && a.at === b.at
}
