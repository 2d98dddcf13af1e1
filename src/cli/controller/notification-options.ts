import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Command } from 'commander'
import { parse } from 'yaml'
import { parseNotificationSettings } from '../../notify/channel-settings.ts'
import { channelsOf } from '../../notify/channels.ts'
import type { Channel } from '../../notify/notification.ts'

export interface NotificationOptions {
  readonly notifications?: string
}

interface Subject {
  readonly cwd: string
  readonly cluster?: string
  readonly insecureHttp?: boolean
}

export function addNotificationOptions(command: Command): Command {
  return command.option('--notifications <file>', 'file with the channels of notifications. Default: none')
}

/** @returns undefined without a file. @throws {Error} naming the file and what is wrong with it. */
export async function notificationChannels(options: NotificationOptions & Subject): Promise<readonly Channel[] | undefined> {
  const { notifications, cwd, cluster, insecureHttp = false } = options
  if (notifications === undefined) return undefined
  const path = resolve(cwd, notifications)
  try {
    const settings = parseNotificationSettings(parse(await readFile(path, 'utf8')))
    return await channelsOf(settings, { cluster, insecureHttp, resolve: (file) => resolve(dirname(path), file) })
  } catch (error) {
    throw new Error(`--notifications "${path}": ${(error as Error).message}`, { cause: error })
  }
}
