import * as z from 'zod'
import { emailSettings } from './email/email-settings.ts'
import { DEFAULT_TEMPLATE } from './template.ts'
import { templateOf } from './template-setting.ts'

const file = z.string().min(1)
const url = z.strictObject({ urlFile: file })
const LONGEST_TEMPLATE = 2_000

/** `gpu-*` */
const poolPattern = z.string().regex(/^[a-z0-9.*-]{1,63}$/)
const KINDS = ['cloudEvents', 'slack', 'teams', 'email'] as const

const channel = z
  .strictObject({
    name: z.string().regex(/^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/),
    cloudEvents: z.strictObject({ urlFile: file, tokenFile: file.optional() }).optional(),
    slack: url.optional(),
    teams: url.optional(),
    email: emailSettings.optional(),
    pools: z.array(poolPattern).min(1).default(['*']),
    reasons: z
      .array(z.string().regex(/^[A-Za-z]{1,40}$/))
      .min(1)
      .optional(),
    template: templateOf(LONGEST_TEMPLATE).default(DEFAULT_TEMPLATE),
    perMinute: z.int().min(1).max(600).default(20),
  })
  .refine((each) => KINDS.filter((kind) => each[kind] !== undefined).length === 1, {
    error: `expected one of ${KINDS.join(', ')}`,
  })

const schema = z.strictObject({
  source: z
    .string()
    .regex(/^[!-~]{1,500}$/)
    .optional(),
  channels: z
    .array(channel)
    .min(1)
    .max(20)
    .refine((all) => new Set(all.map(({ name }) => name)).size === all.length, { error: 'two channels have the same name' }),
})

export type NotificationSettings = z.output<typeof schema>
export type ChannelSettings = NotificationSettings['channels'][number]

/** @throws {Error} with every mistake and its place; values are not repeated, for one of them may be a secret in the wrong place. */
export function parseNotificationSettings(value: unknown): NotificationSettings {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw new Error(parsed.error.issues.map(({ path, message }) => `${placeOf(path)}${message}`).join('; '))
}

function placeOf(path: readonly PropertyKey[]): string {
  return path.length === 0 ? '' : `${path.map(String).join('.')}: `
}
