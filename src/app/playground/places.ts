/** A city of the demo: general knowledge, in our own words. Degrees are rounded to two decimals. */
const CITIES = `
Lisbon|Portugal|Europe|38.72|-9.14|hills, trams and tiled houses above the mouth of the Tagus
Porto|Portugal|Europe|41.15|-8.61|port wine cellars, granite churches and a high iron bridge over the Douro
Madrid|Spain|Europe|40.42|-3.70|a capital on a high plain, known for its museums and late dinners
Barcelona|Spain|Europe|41.39|2.17|a grid of wide streets between the sea and the hills, with the buildings of Gaudí
Seville|Spain|Europe|37.39|-5.98|orange trees, a Moorish palace and one of the largest cathedrals
Valencia|Spain|Europe|39.47|-0.38|the home of paella, with a park in a dry river bed
Paris|France|Europe|48.86|2.35|a city of boulevards, cafés and museums on the Seine
Lyon|France|Europe|45.76|4.84|covered passages and a famous kitchen where the Saône meets the Rhône
Marseille|France|Europe|43.30|5.37|the oldest port of its country, with boats to rocky islands
Bordeaux|France|Europe|44.84|-0.58|the centre of a wine country, behind a curved quay
Strasbourg|France|Europe|48.57|7.75|half-timbered houses, canals and a cathedral of red sandstone
London|United Kingdom|Europe|51.51|-0.13|parks, theatres and free museums on both banks of the Thames
Edinburgh|United Kingdom|Europe|55.95|-3.19|a castle on a volcanic rock and the largest festival of the arts
Manchester|United Kingdom|Europe|53.48|-2.24|cotton mills turned into flats, music and football
Cardiff|United Kingdom|Europe|51.48|-3.18|a castle, arcades and a harbour that used to ship coal
Dublin|Ireland|Europe|53.35|-6.26|pubs, writers and Georgian doors on the Liffey
Galway|Ireland|Europe|53.27|-9.05|music in the streets at the edge of the Atlantic
Brussels|Belgium|Europe|50.85|4.35|comics, waffles, and offices of many institutions
Ghent|Belgium|Europe|51.05|3.73|guild houses along the water and a cycling quarter
Amsterdam|Netherlands|Europe|52.37|4.90|rings of canals, narrow houses and more bicycles than people
Rotterdam|Netherlands|Europe|51.92|4.48|a very large harbour and daring architecture
Utrecht|Netherlands|Europe|52.09|5.12|wharf cellars below street level and a tall tower
Luxembourg|Luxembourg|Europe|49.61|6.13|a fortress above two deep valleys
Berlin|Germany|Europe|52.52|13.41|lakes, clubs and traces of a wall
Hamburg|Germany|Europe|53.55|9.99|warehouses of brick, a harbour and a concert hall above it
Munich|Germany|Europe|48.14|11.58|beer gardens and a river to swim in, with the Alps in sight
Cologne|Germany|Europe|50.94|6.96|a cathedral with two spires beside the railway station
Leipzig|Germany|Europe|51.34|12.37|Bach, trade fairs and forests along the rivers
Dresden|Germany|Europe|51.05|13.74|a skyline rebuilt in baroque on the Elbe
Vienna|Austria|Europe|48.21|16.37|coffee houses, waltzes and palaces around a ring road
Salzburg|Austria|Europe|47.81|13.04|the town of Mozart below a white fortress
Graz|Austria|Europe|47.07|15.44|red roofs around a hill with a clock tower
Zurich|Switzerland|Europe|47.38|8.54|a lake to swim in after work and trains to every mountain
Geneva|Switzerland|Europe|46.20|6.14|a tall fountain, watches and particle physics
Basel|Switzerland|Europe|47.56|7.59|museums of art and people drifting home on the Rhine
Rome|Italy|Europe|41.90|12.50|ruins, fountains and churches of three thousand years
Milan|Italy|Europe|45.46|9.19|fashion, design and a cathedral with a roof to walk on
Venice|Italy|Europe|45.44|12.32|a city in a lagoon where streets are canals
Florence|Italy|Europe|43.77|11.26|painters of the Renaissance and a dome of brick
Naples|Italy|Europe|40.85|14.27|pizza, narrow lanes and a volcano across the bay
Palermo|Italy|Europe|38.12|13.36|markets and Norman churches with golden mosaics
Turin|Italy|Europe|45.07|7.69|arcades, chocolate and a view of the Alps
Athens|Greece|Europe|37.98|23.73|a marble temple on a rock above a city without end
Thessaloniki|Greece|Europe|40.64|22.94|a promenade on the gulf and Byzantine walls
Prague|Czechia|Europe|50.08|14.44|a bridge with statues, a castle and a clock with apostles
Brno|Czechia|Europe|49.20|16.61|functional houses and the garden of Mendel
Warsaw|Poland|Europe|52.23|21.01|an old town built again stone by stone
Kraków|Poland|Europe|50.06|19.94|a huge market square and a trumpet every hour
Gdańsk|Poland|Europe|54.35|18.65|tall merchant houses and cranes at the Baltic Sea
Budapest|Hungary|Europe|47.50|19.04|hot springs on both sides of the Danube
Bratislava|Slovakia|Europe|48.15|17.11|a castle like an upturned table above the Danube
Ljubljana|Slovenia|Europe|46.06|14.51|three bridges beside each other and a dragon on a fourth
Zagreb|Croatia|Europe|45.81|15.98|an upper and a lower town joined by a short funicular
Split|Croatia|Europe|43.51|16.44|a town that grew into a Roman palace
Belgrade|Serbia|Europe|44.79|20.45|a fortress where the Sava meets the Danube
Sarajevo|Bosnia and Herzegovina|Europe|43.86|18.41|bazaars and coffee in a valley of minarets and towers
Sofia|Bulgaria|Europe|42.70|23.32|golden domes below a mountain with ski runs
Bucharest|Romania|Europe|44.43|26.10|boulevards, parks and an enormous palace
Copenhagen|Denmark|Europe|55.68|12.57|coloured houses, cycle bridges and an old amusement park
Aarhus|Denmark|Europe|56.16|10.20|a museum with a rainbow walk on its roof
Stockholm|Sweden|Europe|59.33|18.07|fourteen islands between a lake and the sea
Gothenburg|Sweden|Europe|57.71|11.97|trams, shrimps and an archipelago outside the door
Oslo|Norway|Europe|59.91|10.75|an opera to walk upon at the end of a fjord
Bergen|Norway|Europe|60.39|5.32|wooden wharves, seven mountains and much rain
Tromsø|Norway|Europe|69.65|18.96|northern lights and a bridge to a cathedral of triangles
Helsinki|Finland|Europe|60.17|24.94|saunas, design and a church cut into rock
Tampere|Finland|Europe|61.50|23.76|red brick factories at rapids between two lakes
Reykjavík|Iceland|Europe|64.15|-21.94|warm pools and a church like basalt columns
Tallinn|Estonia|Europe|59.44|24.75|town walls, towers and a state that works online
Riga|Latvia|Europe|56.95|24.11|art nouveau faces on every second house
Vilnius|Lithuania|Europe|54.69|25.28|baroque churches and a quarter that called itself a republic
Istanbul|Türkiye|Asia|41.01|28.98|ferries between two continents, mosques and bazaars
Ankara|Türkiye|Asia|39.93|32.86|a capital on the steppe with a citadel
Tbilisi|Georgia|Asia|41.72|44.79|sulphur baths, balconies and a cable car to a fortress
Tel Aviv|Israel|Asia|32.09|34.78|beaches and white houses of the Bauhaus
Dubai|United Arab Emirates|Asia|25.20|55.27|the highest tower and islands of sand
Delhi|India|Asia|28.61|77.21|red forts, gardens and the busiest of markets
Mumbai|India|Asia|19.08|72.88|film studios, trains and a promenade like a necklace
Bengaluru|India|Asia|12.97|77.59|gardens and software on a high plateau
Kathmandu|Nepal|Asia|27.72|85.32|temples with painted eyes, and the way to the highest mountains
Bangkok|Thailand|Asia|13.76|100.50|temples, boats and food at every corner
Hanoi|Vietnam|Asia|21.03|105.85|lakes, scooters and a quarter of thirty-six streets
Singapore|Singapore|Asia|1.35|103.82|hawker food and gardens between towers on an island
Jakarta|Indonesia|Asia|-6.21|106.85|a very large city on a low coast
Hong Kong|China|Asia|22.32|114.17|trams, peaks and a harbour between towers
Shanghai|China|Asia|31.23|121.47|a riverside of two centuries, one on each bank
Beijing|China|Asia|39.90|116.41|a forbidden city that everybody may visit
Taipei|Taiwan|Asia|25.03|121.57|night markets and hot springs at the end of a metro line
Seoul|South Korea|Asia|37.57|126.98|palaces among screens, and hills to hike on
Tokyo|Japan|Asia|35.68|139.69|quiet lanes and loud crossings of the largest city
Kyoto|Japan|Asia|35.01|135.77|a thousand temples, gardens of moss and old wooden streets
Osaka|Japan|Asia|34.69|135.50|a castle, comedians and food to ruin oneself with
Sydney|Australia|Oceania|-33.87|151.21|an opera like sails and surf within reach of a bus
Melbourne|Australia|Oceania|-37.81|144.96|trams, lanes with murals and serious coffee
Perth|Australia|Oceania|-31.95|115.86|the sunniest and loneliest of large cities
Auckland|New Zealand|Oceania|-36.85|174.76|volcanoes and sails between two harbours
Wellington|New Zealand|Oceania|-41.29|174.78|a windy capital with a red cable car
Cairo|Egypt|Africa|30.04|31.24|minarets, the Nile and pyramids at the edge of the desert
Marrakesh|Morocco|Africa|31.63|-8.00|a red town of gardens, drums and stories
Dakar|Senegal|Africa|14.72|-17.47|music and fishing boats at the western end of a continent
Accra|Ghana|Africa|5.60|-0.19|markets and a coast of old forts
Lagos|Nigeria|Africa|6.52|3.38|islands, bridges, films and music without sleep
Nairobi|Kenya|Africa|-1.29|36.82|a city with lions in a park beside it
Kigali|Rwanda|Africa|-1.94|30.06|clean streets on many green hills
Cape Town|South Africa|Africa|-33.92|18.42|a flat mountain above two oceans
New York|United States|North America|40.71|-74.01|towers, boroughs and a park in the middle
Boston|United States|North America|42.36|-71.06|universities and bricks along a harbour
Chicago|United States|North America|41.88|-87.63|skyscrapers and blues on a lake like a sea
San Francisco|United States|North America|37.77|-122.42|fog, hills and a red bridge
Seattle|United States|North America|47.61|-122.33|ferries, coffee and rain below a white volcano
New Orleans|United States|North America|29.95|-90.07|jazz and iron balconies in a bend of the Mississippi
Montréal|Canada|North America|45.50|-73.57|two languages, bagels and a city under the ground
Toronto|Canada|North America|43.65|-79.38|a tall tower and neighbourhoods from everywhere
Vancouver|Canada|North America|49.28|-123.12|a forest of glass between the sea and the mountains
Mexico City|Mexico|North America|19.43|-99.13|murals, markets and temples on a lake that is gone
Havana|Cuba|North America|23.11|-82.37|old cars along a wall against the sea
Bogotá|Colombia|South America|4.71|-74.07|gold, graffiti and streets for bicycles on Sundays
Quito|Ecuador|South America|-0.18|-78.47|churches of gold near the middle of the world
Lima|Peru|South America|-12.05|-77.04|ceviche on cliffs above the Pacific
Santiago|Chile|South America|-33.45|-70.67|a plain of vineyards under a wall of snow
Buenos Aires|Argentina|South America|-34.60|-58.38|tango, bookshops and steaks after midnight
Montevideo|Uruguay|South America|-34.90|-56.16|a calm capital along a river as wide as a sea
Rio de Janeiro|Brazil|South America|-22.91|-43.17|beaches between granite hills
São Paulo|Brazil|South America|-23.55|-46.63|the largest city of its half of the world, and its kitchens
`;

/** A place as a document. */
interface Place {
  readonly key: string;
  readonly contentMd: string;
  readonly meta: Readonly<Record<string, string[]>>;
}

/** The cities as documents with coordinates. */
export function places(): Place[] {
  return CITIES.trim().split('\n').map((line) => {
    const [name, country, continent, lat, lng, about] = line.split('|') as [string, string, string, string, string,
      string];
    return {
      key: name.normalize('NFD').replaceAll(/\p{Mark}/gu, '').replaceAll('ø', 'o').toLowerCase().replaceAll(/[^a-z]+/g,
        '-'),
      contentMd: `# ${name}\n\n${name}, ${country}: ${about}.\n`,
      meta: { title: [name], country: [country], continent: [continent], geo_lat: [lat], geo_lng: [lng] },
    };
  });
}
