import { boolean, duration, text, timeZone } from '../kinds.ts';
import { setting } from '../setting.ts';

export const automation = {
  enabled: setting(boolean, true, 'SVC_AUTOMATIONS', 'run automation rules'),
  triggers: setting(boolean, true, 'SVC_TRIGGERS', 'run triggers'),
  crons: setting(boolean, true, 'SVC_CRONS', 'run crons'),
  logs: setting(boolean, true, 'SVC_AUTOMATION_LOGS', 'log the executions of rules'),
  logsTtl: setting(duration(60_000), 604_800_000, 'SVC_AUTOMATION_LOGS_TTL', 'how long those logs are kept'),
  cronTz: setting(timeZone, 'UTC', 'SVC_CRON_TZ', 'time zone of cron schedules'),
  sentimentLexicon: setting(text, '', 'SVC_SENTIMENT_LEXICON',
    'file with further words for sentiment, `word<TAB>weight` in each line'),
};

export const webhooks = {
  secret: setting(text, '', 'SVC_WEBHOOK_SECRET', 'signs the deliveries of webhooks without a secret of their own', {
    secret: true,
  }),
};
