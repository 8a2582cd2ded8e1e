import java.time.LocalDate;

/** A query of `../filters/job.ts`, in the form of a URL's query; parts that are not requested are empty or null. */
class Ask {
    String words = "";
    String match = "";
    /** A field and the value that it must have. */
    String[] filter;
    /** The first and the last day, as days since 1970. */
    long firstDay;
    long lastDay = -1;
    String facet;
    String histogram;
    String sort;
    int offset;

    static Ask fromQuery(String query) {
        Ask ask = new Ask();
        for (String pair : query.split("&")) {
            int equals = pair.indexOf('=');
            String value = pair.substring(equals + 1);
            switch (pair.substring(0, equals)) {
                case "words" -> ask.words = value.replace('+', ' ');
                case "match" -> ask.match = value;
                case "filter" -> ask.filter = value.split(":", 2);
                case "from" -> ask.firstDay = LocalDate.parse(value).toEpochDay();
                case "to" -> ask.lastDay = LocalDate.parse(value).toEpochDay();
                case "facet" -> ask.facet = value;
                case "histogram" -> ask.histogram = value;
                case "sort" -> ask.sort = value;
                case "offset" -> ask.offset = Integer.parseInt(value);
                default -> throw new IllegalArgumentException("unknown parameter " + pair);
            }
        }
        return ask;
    }

    boolean hasDays() {
        return lastDay >= firstDay;
    }
}
