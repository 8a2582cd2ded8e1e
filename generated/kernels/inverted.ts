// Constants of asm/inverted. Generated: change them there, then run `npm run generate`.

/** Integers from this one on take more than two bytes. */
export const SHORT_VARINT = 16384;
export const F_OCCURRENCES = 0;
export const F_TITLE = 4;
export const F_EXACT_TITLE = 8;
export const F_EXACT_KEY = 12;
export const P_CANDIDATE = 0;
export const P_BLOCK = 4;
export const P_INDEX = 8;
export const P_FREQUENCY = 12;
export const P_EXACT = 16;
export const TITLE_FIELD = 1;
export const KEY_FIELD = 6;
/** What `divide` asks the host: whether letters are an inflection of a word of the index, or of the word itself. */
export const ASKS_INFLECTED = 1;
export const ASKS_ITSELF = 2;
/** Longer forms are not divided. */
export const MAX_UNITS = 48;
/** Fewer letters before a word are its prefix, and are no part. */
export const LEAST_PART = 4;
export const WORDS_BEFORE = 128;
export const WORDS_BEHIND = 192;
/** Whether what is behind a place is an inflection of a word of the index, and one of the word itself. */
export const IS_INFLECTED = 256;
export const IS_ITSELF = 320;
/** The offset of a place within a character. */
export const NOWHERE = 65535;
/** How often something was looked up. */
export const D_SPENT = 32;
export const NO = 1;
export const YES = 2;
/** The host is asked first. */
export const ASKED = 3;
export const LINK_TEXT = 16;
export const LOST_TEXT = 32;
export const CORE_TEXT = 64;
/** A stop word, which is no part. */
export const STOP_WORD = 8;
export const IS_WORD = 1;
export const IS_SHORTENED = 2;
export const IS_COMPOUND = 3;
export const IS_OTHER = 4;
export const STATUS_BITS = 7;
export const CURSOR = 1568;
/** Bytes of the sums of a field: f64 tokens, u32 documents. */
export const FIELD_SUM_BYTES = 16;
export const S_DOCUMENTS = 8;
/** The grade of a dead document (see `grades.ts`). Its high bit is set in no other grade. */
export const DEAD_GRADE = 128;
export const FEATURES = 9;
export const WORD = 48;
export const W_OFFSET = 0;
export const W_FLAGS = 4;
export const W_SHARE = 8;
export const W_AVERAGE = 40;
export const MAX_FUZZY_WORD = 60;
export const GRADES = 4;
export const KEPT_FREQUENCIES = 512;
export const PAGE = 65536;
export const HEADER = 65536;
export const PAGE_KINDS = 131072;
export const FIRST_HEAP_PAGE = 3;
export const MAGIC = 827869521;
/** Changes with every change of the layout; a checkpoint of another layout is rebuilt. */
export const LAYOUT = 7;
export const PAGE_FREE = 0;
export const PAGE_SMALL = 1;
export const PAGE_LARGE = 2;
export const PAGE_SCRATCH = 3;
/**
 * Plain fields, from 0 on: the content, and the fields that most documents have. Each has a bit, and an array of
 * lengths by document.
 */
export const PLAIN_FIELDS = 7;
/**
 * Bits of plain fields that repeat text of other fields: they count only if weights name them, and phrases do not
 * search them.
 */
export const DERIVED = 96;
/** Plain fields before the derived ones. */
export const OWN_FIELDS = 5;
/** The bit that all further fields share. Each document stores which of them it has, and the lengths in them. */
export const FURTHER = 128;
/** The number of all fields is smaller. */
export const MAX_FIELDS = 1024;
/** Postings of a block, and values of a packed run. */
export const BLOCK = 128;
/** Longest form, in bytes: a token of 256 bytes, whose folding is at most three times as long. */
export const MAX_FORM = 768;
/** A document that stands for every document that compaction drops: always dead, so it never counts. */
export const SINK = 0;
export const H_MAGIC = 65536;
export const H_LAYOUT = 65540;
/** No free page lies before this one. */
export const H_FREE_HINT = 65544;
/** Unused rest of the newest page of small chunks. */
export const H_BUMP = 65548;
export const H_BUMP_END = 65552;
/** Size classes that have free chunks, a bit each, 3 x u64. */
export const H_FREE_CLASSES = 65632;
/** Bytes in use by part (see PART_*), 16 x u32. */
export const H_PARTS = 65560;
/** Number of the next document; 1 at first, since 0 is the sink. */
export const H_DOCS = 65920;
export const H_LIVE_DOCS = 65924;
/** Deleted documents that still have postings. */
export const H_DEAD_DOCS = 65928;
export const H_DOC_CAPACITY = 65932;
/**
 * Arrays of f32 by document: length over all fields but the derived ones, then in each plain field; 0 if no document
 * has had it (8 x address).
 */
export const H_LENGTHS = 65936;
/**
 * Array of u32 by document: the list of its lengths in further fields (see `documents.ts`); 0 if no document has had
 * any.
 */
export const H_FURTHER_LENGTHS = 65996;
/** Array of u32: the caller's ordinal of each document. */
export const H_ORDINALS = 66000;
/** Array of u32: the document of each ordinal, 0 for none. */
export const H_DOC_OF = 65968;
export const H_DOC_OF_CAPACITY = 65972;
/** Sum of the lengths of live documents over all fields but the derived ones, f64. */
export const H_LENGTH_SUM = 65976;
/**
 * By field, 16 bytes each: sum of the lengths of live documents (f64), live documents that have a token there (u32).
 */
export const H_FIELD_SUMS = 65984;
export const H_FIELD_CAPACITY = 65988;
/** Array of u8 by document: its class (see `documents.ts`). */
export const H_CLASSES = 65992;
/** Number of the next form; 1 at first. */
export const H_FORMS = 66056;
export const H_FORM_CAPACITY = 66060;
export const H_RECORDS = 66064;
export const H_HASH = 66068;
/** Slots of the hash table (a power of two), and how many are used. */
export const H_HASH_SLOTS = 66072;
export const H_HASH_USED = 66076;
/** Numbers that can be reused because no form has them any more, as a stack: address, capacity, count. */
export const H_SPARE_FORMS = 66080;
export const H_SPARE_COUNT = 66088;
/** The two orders of the dictionary (see `dictionary.ts`), 16 bytes each: forward, backward. */
export const H_FORWARD = 66096;
export const H_BACKWARD = 66112;
/** Directories of groups (see `groups.ts`), 32 x 20 bytes. */
export const H_GROUPS = 66136;
export const MAX_GROUPINGS = 32;
/** Incremented by every deletion, so that counts of dead postings can tell whether they are current. */
export const H_DEATHS = 66776;
/** 0 or 1; postings with the other epoch name documents by their numbers before compaction. */
export const H_EPOCH = 66780;
/** Maps numbers of documents before compaction to those after it; 0 if none is running. */
export const H_REMAP = 66784;
export const H_REMAP_DOCS = 66788;
export const H_COMPACT_FORM = 66792;
export const H_COMPACT_BLOCK = 66796;
/**
 * The hash table that is being moved into the larger one: address, slots, the first slot that was not moved (see
 * `form-table.ts`).
 */
export const H_OLD_HASH = 66800;
export const H_OLD_SLOTS = 66804;
export const H_OLD_NEXT = 66808;
/** Signatures of the keys of forms (see `signatures.ts`). */
export const H_SIGNATURES = 66812;
/** Heads of the lists of free chunks by size class, 160 x u32. */
export const H_FREE_LISTS = 66816;
/** Live documents by class, 32 x u32. */
export const H_CLASS_DOCS = 67456;
export const MAX_CLASSES = 32;
export const H_SCRATCH = 67584;
export const H_TABLE_INDEX = 68096;
export const H_TABLE_BLOCKS = 68100;
export const H_TABLE_EXPANSIONS = 68104;
export const H_TOKENS = 68108;
export const H_DOC_FORMS = 68112;
export const H_NEW_FORMS = 68116;
/** Fields of the current document, in B_DOC_FIELDS. */
export const H_DOC_FIELDS = 68120;
/** The document that is being committed, its next form, and whether searches ran in between. */
export const H_COMMIT_DOC = 68124;
export const H_COMMIT_FORM = 68128;
export const H_COMMIT_HIDDEN = 68132;
/** Where `tokenizeText` stopped. */
export const H_TEXT_AT = 68136;
/** What `parsePosting` has read: document gap, occurrences, bits of the fields, address of the field part. */
export const H_POSTING = 68144;
/** Used bytes of B_CURSOR_POSITIONS. */
export const H_CURSOR_POSITIONS = 68284;
/** The arena of cached lists (see `lists/arena.ts`). */
export const H_ARENA = 68288;
/** The parameters of scoring (see `weighing.ts`). */
export const H_SCORING = 68160;
/** What `readLength` has read: distance of the field, length. */
export const H_FURTHER = 68184;
/** Set when the memory could not grow as much as needed. */
export const H_FULL = 68192;
/** A number of the current document, and how many of its tokens have been placed (see `tokens.ts`). */
export const H_DOCUMENT = 68196;
export const H_PLACED = 68200;
/** Bits of the classes whose documents the following terms do not match. */
export const H_EXCLUDED = 68204;
/** Number of documents that certainly have a phrase (see `phrase-decisions.ts`). */
export const H_CERTAIN = 68208;
/** Used bytes of B_NOTED (see `segments.ts`). */
export const H_NOTED = 68224;
/** The ring of remembered places (see `places.ts`). */
export const H_PLACES = 68344;
/** Numbers by which the host identifies the parameters of scoring (see `lists/scored.ts`). */
export const H_SCORING_NAMES = 68352;
/**
 * Documents before this one have grades; and the number of documents when the grade lengths, 3 x f32, were chosen (see
 * `grades.ts`).
 */
export const H_GRADED = 68544;
export const H_GRADED_FOR = 68548;
/** Not used; it is written so that the compiler keeps the loads of `touchBlocks`. */
export const H_TOUCHED = 68564;
/** Candidates of a phrase (see `phrase-candidates.ts`), and bytes of their positions (see `occurrences.ts`). */
export const H_CANDIDATES = 68568;
export const H_FOUND = 68572;
/** Remembered factors (see `factors.ts`). */
export const H_FACTORS = 68576;
/** Chunks that a phrase query has read (see `kept-chunks.ts`). */
export const H_KEPT = 68584;
/** Number of matches of a phrase (see `phrase-matches.ts`), and of its words (see `phrase-candidates.ts`). */
export const H_PHRASE_MATCHES = 68600;
export const H_CANDIDATE_WORDS = 68604;
/** Used bytes of B_CHOSEN. */
export const H_CHOSEN = 68596;
/** State of `candidates.ts` and `gathering.ts`: 4 x u32. */
export const H_GATHERED = 68312;
/** Score and bitmap arrays by level (see `levels.ts`): 64 x (scores, bitmap). */
export const H_LEVELS = 68608;
export const H_LEVEL_CAPACITY = 69120;
/** Which remembered factors are valid (see `factors.ts`). */
export const H_FACTOR_EPOCH = 69124;
export const MAX_LEVELS = 64;
/** State of a division (see `compounds/`): 13 x u32. */
export const H_DIVISION = 69184;
export const FORM_BUFFER = 69632;
export const DOCS = 71680;
export const FREQUENCIES = 72704;
export const CONTENT_FREQUENCIES = 73728;
export const WEIGHTS = 76800;
export const SCORES = 77824;
export const HISTOGRAM = 79872;
export const RICE = 80896;
export const FUZZY = 81920;
export const SEALED_DOCS = 98304;
export const SEALED_FREQUENCIES = 99328;
export const LOGARITHMS = 100352;
export const TALLIED = 102400;
export const CHOSEN = 102912;
export const TAIL_PLACES = 103424;
export const POSITION_PARTS = 103936;
export const NEXT_VALUES = 104192;
/** Buffers that grow (see `scratch.ts`), 128 x 8 bytes: address, pages. */
export const H_BUFFERS = 104448;
export const ONES = 106496;
export const ONES_OF_BYTES = 107520;
export const HEADER_END = 131072;
export const PART_DOCUMENTS = 0;
export const PART_FORMS = 1;
export const PART_STRINGS = 2;
export const PART_ORDER = 3;
export const PART_GROUPS = 4;
export const PART_TAILS = 5;
export const PART_BLOCKS = 6;
export const PART_DIRECTORIES = 7;
export const PART_COMPACTION = 8;
export const PARTS = 9;
export const A_BYTES = 0;
export const A_KIND = 4;
export const A_NAME = 8;
export const A_QUERY = 12;
export const BLOCK_HEAD = 16;
/** Of a list: its block of positions; 0 for none. */
export const L_POSITIONS = 16;
export const L_FORMS = 20;
export const L_DOCUMENTS = 24;
export const L_ROOM = 28;
export const L_END = 32;
export const L_DEATHS = 36;
export const L_ALGORITHM = 40;
export const L_C0 = 44;
/** In lists of `scored.ts`, at the same place: the number of the parameters. */
export const L_NUMBER = 44;
export const L_C1 = 48;
export const L_WIDE = 52;
export const L_PHRASES = 56;
export const L_FAMILY = 60;
/** Its largest impact, f32. */
export const L_MAX = 64;
/**
 * The kind of this list, of lists of `matches.ts`, and of bare lists; other kinds, which are odd, are families of
 * `scored.ts`.
 */
export const SUMS = 0;
export const MATCHES = 2;
export const BARE = 4;
/** No algorithm: the impacts must be computed again. */
export const NO_IMPACTS = 4294967295;
export const NARROW_DOCUMENT = 16777215;
export const NARROW_FREQUENCY = 255;
/** Bytes of a list in B_INPUT. */
export const PRUNED = 32;
/** The second list becomes a bitmap unless it is this many times as long as the first; then it is searched. */
export const MUCH_LONGER = 16;
/** Most forms of a list. */
export const MAX_FORMS = 1024;
/** Offsets from H_SCORING_NAMES. */
export const N_NUMBER = 0;
export const N_FAMILY = 4;
/**
 * Bytes of a list of `selectFew` in B_INPUT: its address, its weight (f32), the classes that count, and the place of
 * the last search.
 */
export const FEW = 16;
/**
 * Offsets of these; a list of `selectPruned` begins with the same fields, one of `matchLists` and a term of
 * `selectTallied` with the first two.
 */
export const E_WEIGHT = 4;
export const E_CLASSES = 8;
export const E_PLACE = 12;
/** Bytes of a list of `matchLists`, and of a term of `selectTallied`. */
export const WEIGHTED = 8;
/** In a pattern of u32 code points: any number of characters, exactly one, and at its end one or none. */
export const ANY = 4294967295;
export const ONE = 4294967294;
export const MAY_BE = 4294967293;
/** The first place that was found. */
export const FIRST_ONE = 106498;
export const MAX_PACKED = 1282;
/** Bytes between the notes about two words in a candidate. */
export const BETWEEN_NOTES = 16;
/** The mark of a candidate. */
export const CANDIDATE = 128;
export const ESCAPE = 16;
export const CLASSES = 4;
export const MAX_TAIL = 16384;
export const TAIL_COUNT_MASK = 127;
export const TAIL_EPOCH_SHIFT = 7;
export const D_COUNT = 0;
export const D_CAPACITY = 4;
export const D_DEATHS = 8;
export const D_DEAD = 12;
export const D_BLOCKS = 16;
export const BLOCK_HEADER = 16;
export const ONCE = 2;
export const MORE = 1;
export const RECORD = 24;
export const R_STRING = 0;
export const R_DOCUMENTS = 4;
export const R_TAIL = 8;
export const R_LAST = 12;
export const R_TAIL_BYTES = 16;
export const R_TAIL_POSTINGS = 18;
export const R_FIELDS = 19;
export const R_DIRECTORY = 20;
/** Set in the length of a string that a key follows. */
export const HAS_KEY = 32768;
/** Added to the level's scores; the bits are not changed. */
export const ADD = 0;
/** Added, and the document matches. */
export const MATCH = 1;
/** Added to documents that match already; `finishRequire` then drops those that had no score. */
export const REQUIRE = 2;
/** Text that the host writes, and results that it reads. */
export const B_INPUT = 0;
export const B_OUTPUT = 1;
/** Tokens and forms of the current document, and their tables (see `tokens.ts`). */
export const B_TOKENS = 2;
export const B_RECENT = 3;
export const B_FORM_ENTRIES = 4;
export const B_DOC_FORMS = 5;
export const B_PLACES = 24;
export const B_NEW_FORMS = 6;
/** A posting, or postings, in the format of a tail. */
export const B_POSTINGS = 7;
/** A block that is being sealed, and its field part. */
export const B_BLOCK = 8;
export const B_BLOCK_FIELDS = 9;
/** Weights by document of a group that is being summed, f32. */
export const B_SUMS = 10;
/** Bitmaps by document: of that group, and of the result of an intersection. */
export const B_SUM_BITS = 11;
export const B_KEPT_BITS = 12;
export const B_FILTER = 13;
export const B_MULTIPLIERS = 14;
export const B_MATCHES = 15;
export const B_HEAP = 16;
export const B_CURSORS = 17;
/** Three buffers in which phrases merge positions. */
export const B_MERGE = 18;
export const B_TABLES = 21;
/** Blocks by which compaction replaces others. */
export const B_NEW_BLOCKS = 22;
/** Positions of a block before they are coded. */
export const B_POSITIONS = 23;
/** Positions of a block that compaction decodes, while others are made. */
export const B_OLD_POSITIONS = 25;
/** Positions that the cursors of a phrase have read. */
export const B_CURSOR_POSITIONS = 26;
/** Fields of the current document (see `indexing.ts`), and its lengths in further fields. */
export const B_DOC_FIELDS = 27;
export const B_DOC_LENGTHS = 28;
/** Frequencies of a chunk in fields other than the content (see `fields.ts`). */
export const B_FIELD_ENTRIES = 29;
export const B_FIELD_COUNTS = 30;
/** The parameters of scoring of each field (see `weighing.ts`). */
export const B_FIELD_FACTORS = 31;
/** A bit for each form of a set (see `form-sets.ts`). */
export const B_FORM_BITS = 32;
/** Remembered lists, and the table that finds them (see `lists/arena.ts`). */
export const B_ARENA = 33;
export const B_LIST_TABLE = 34;
/** By document, a byte: how many lists of an intersection have it. */
export const B_LIST_COUNTS = 35;
/** Positions of a list while they are coded. */
export const B_LIST_POSITIONS = 36;
/** Frequencies by field of a group that is being summed for TF-IDF (see `sublinear.ts`). */
export const B_FIELD_SUMS = 37;
/** Words, their positions in candidates, and the candidates of `reranking.ts`. */
export const B_RERANK_WORDS = 38;
export const B_RERANK_POSITIONS = 39;
export const B_RERANK_ORDER = 40;
/** By document, a byte: how many operands of a group match it (see `countMatches`). */
export const B_MATCH_COUNTS = 41;
/**
 * By document, a byte: how long it is (see `grades.ts`); and by slot and document, how often a term occurs there (see
 * `tallies.ts`).
 */
export const B_GRADES = 42;
export const B_TALLIES = 43;
export const B_TALLY_RESTS = 44;
/**
 * Candidates of a phrase (see `phrase-candidates.ts`), the places of its words in them (see `occurrences.ts`), and the
 * positions of a chunk.
 */
export const B_RANKS = 45;
export const B_PLACES_FOUND = 46;
export const B_POSITIONS_FOUND = 47;
export const B_CHUNK_POSITIONS = 48;
/** Positions of a block, class by class, while it is decoded. */
export const B_VALUES = 49;
/**
 * Where filters by document are, matches by document, and which documents are in step with their ordinals (see
 * `filters.ts`).
 */
export const B_DOC_FILTERS = 50;
export const B_DOC_MATCHES = 51;
export const B_IN_STEP = 52;
/** Weights of the features for reranking, f64 each; features of a candidate. */
export const B_RERANK_WEIGHTS = 53;
export const B_RERANK_FEATURES = 54;
/** Remembered places of words in documents, and the table that finds them (see `places.ts`). */
export const B_PLACE_RING = 55;
export const B_PLACE_TABLE = 56;
/** Lists by their largest scores, and a bitmap of one of them (see `lists/pruning.ts`). */
export const B_PRUNE_ORDER = 57;
export const B_PRUNE_BITS = 58;
/** Remembered factors (see `factors.ts`). */
export const B_FACTORS = 59;
/** Chunks that a phrase query has read, and their forms (see `kept-chunks.ts`). */
export const B_KEPT_CHUNKS = 60;
export const B_KEPT_FORMS = 61;
/** Hashes of recent queries (see `lists/matches.ts`). */
export const B_ASKED = 62;
/**
 * By word and candidate, how often and where it occurs; and the postings of the words in the candidates (see
 * `candidates.ts`).
 */
export const B_RERANK_FOUND = 63;
export const B_RERANK_POSTINGS = 64;
/** Upper bounds of the factors of candidates, keys that order these, and scores (see `reranking.ts`). */
export const B_RERANK_BOUNDS = 65;
export const B_RERANK_KEYS = 66;
export const B_RERANK_SCORES = 67;
/**
 * The documents of a segment that is being made; a segment that is being merged, and the numbers of its forms (see
 * `segments.ts`).
 */
export const B_NOTED = 68;
export const B_SEGMENT = 69;
export const B_SEGMENT_FORMS = 70;
/**
 * The documents of the candidates of a phrase, which of them remain, the postings of its words in them, and by
 * document, whether it is one (see `phrase-candidates.ts`).
 */
export const B_CANDIDATES = 71;
export const B_REMAINING = 72;
export const B_CHOSEN = 73;
export const B_MARKS = 74;
/** The documents that have a phrase (see `phrase-matches.ts`). */
export const B_PHRASE_MATCHES = 75;
/** The documents that certainly have a phrase (see `phrase-decisions.ts`), and the offsets of its words. */
export const B_CERTAIN = 76;
export const B_OFFSETS = 77;
/** Texts and forms of a division, tables of both, and what is known of the current form (see `compounds/`). */
export const B_DIVISION_TEXTS = 78;
export const B_DIVISION_FORMS = 79;
export const B_DIVISION_TABLE = 80;
export const B_DIVISION_FORM = 81;
export const B_DIVISION_TRUTHS = 82;
export const BUFFERS = 83;
/** Documents of a segment at most: their postings of a form never fill a block. */
export const MAX_SEGMENT_DOCUMENTS = 127;
/** Bits of `options`. */
export const FILTERED = 1;
export const MULTIPLIED = 2;
export const COLLECTED = 4;
/**
 * XOR masks: from a key of the selection to an entry of B_OUTPUT, and from an entry to a key that is smaller for better
 * results.
 */
export const ORDINAL_BITS = 4294967295;
/** Slots of a document; the last one has the number of the first further field. */
export const SLOTS = 8;
export const TERM = 32;
export const T_BOUNDS = 16;
export const MAX_TALLIES = 8;
/** A frequency of so many and more is stored as this. */
export const LARGE = 255;
export const E_FORM = 0;
export const E_TOKENS = 4;
export const BM25 = 0;
export const TF_IDF = 1;
export const BM25F = 2;
export const P_ALGORITHM = 0;
export const P_ALIKE = 4;
export const P_C0 = 8;
export const P_C1 = 12;
export const P_REST = 16;
