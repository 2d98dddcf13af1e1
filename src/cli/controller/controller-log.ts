import type { Log, LogLevel } from '../../controller/log/log.ts'
import type { CliIo } from '../cli-io.ts'

export const LOG_FORMATS = ['text', 'json'] as const

/** Lines on standard error. */
export function controllerLog(io: CliIo, format: (typeof LOG_FORMATS)[number]): Log {
  const line = format === 'json' ? jsonLine : textLine
  return (level, message, fields = {}) =>
    io.stderr(`${line({ time: new Date(io.now()).toISOString(), level, message, fields })}\n`)
}

interface Entry {
  readonly time: string
  readonly level: LogLevel
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
}

function jsonLine({ fields, ...entry }: Entry): string {
  return JSON.stringify({ ...entry, ...fields })
}

function textLine({ time, level, message, fields }: Entry): string {
  const details = Object.entries(fields).map(
    ([key, value]) => ` ${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  return `${time} ${level.padEnd(5)} ${message}${details.join('')}`
}
